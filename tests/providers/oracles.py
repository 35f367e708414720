"""The vendors' own SDKs, which judge our adapters. Their code is not held to our warnings."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import anthropic as anthropic_sdk
    from google import genai as gemini_sdk
    from google.genai import types as gemini_types

__all__ = ["anthropic_sdk", "gemini_sdk", "gemini_types"]
