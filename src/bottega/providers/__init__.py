"""Who answers: one streaming call, behind which every vendor looks the same."""
