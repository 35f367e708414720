"""The end of a task: said on a line of its own it counts; talked about it does not."""

from tests.agents.reading.corpus.case import done, prose

LONG = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

SAID = {
    "the word": done("TASK_COMPLETE", ""),
    "the word in small letters": done("task_complete", ""),
    "the word in mixed letters": done("Task_Complete\n", ""),
    "the long word": done(f"All done.\n\n{LONG}\n", "All done."),
    "the long word in small letters": done(LONG.lower(), ""),
    "the tag": done("All done.\n<task_complete>\n", "All done."),
    "the tag in capitals": done("<TASK_COMPLETE>", ""),
    "the empty element": done("<task_complete></task_complete>", ""),
    "the closed tag": done("<task_complete/>", ""),
    "the closed tag with a blank": done("Fine.\n\n<task_complete />", "Fine."),
    "the pair around a summary": done(
        "<task_complete>\nThe port is 80.\n</task_complete>\n", "The port is 80."
    ),
    "the comment": done("Fine.\n\n<!-- TASK COMPLETE -->", "Fine."),
    "the comment in small letters": done("<!-- task complete -->\n", ""),
    "the comment without blanks": done("<!--TASK COMPLETE-->\n", ""),
    "behind an answer": done("The port is 80.\nTASK_COMPLETE", "The port is 80."),
    "before an answer": done("TASK_COMPLETE\nThe port is 80.\n", "The port is 80.\n"),
    "between paragraphs": done("One.\n\nTASK_COMPLETE\n\nTwo.", "One.\n\nTwo."),
    "with blanks around": done("  TASK_COMPLETE  \n", ""),
    "in bold": done("Fine.\n\n**TASK_COMPLETE**\n", "Fine."),
    "in italics": done("*TASK_COMPLETE*", ""),
    "in underscores": done("__TASK_COMPLETE__", ""),
    "with a full stop": done("TASK_COMPLETE.", ""),
    "with an exclamation mark": done("TASK_COMPLETE!", ""),
    "in bold with a full stop": done("**TASK_COMPLETE.**", ""),
    "twice": done("TASK_COMPLETE\nFine.\nTASK_COMPLETE\n", "Fine."),
    "windows line ends and the word": done("Fine.\r\n\r\nTASK_COMPLETE\r\n", "Fine."),
    "after code": done("```\nx\n```\nTASK_COMPLETE\n", "```\nx\n```"),
    "after a list": done("- a\n- b\n\nTASK_COMPLETE", "- a\n- b"),
    "after a heading": done("# Done\nTASK_COMPLETE", "# Done"),
    "after braces": done("{ [ (\nTASK_COMPLETE", "{ [ ("),
}

TALKED_ABOUT = {
    "not going to say it yet": prose("I am not going to say TASK_COMPLETE yet."),
    "not yet": prose("Not TASK_COMPLETE yet"),
    "when all is done": prose("When all is done I will write TASK_COMPLETE."),
    "at the begin of a sentence": prose("TASK_COMPLETE is what I write at the end."),
    "with a question mark": prose("TASK_COMPLETE?"),
    "with a reason": prose("TASK_COMPLETE: all tests pass"),
    "with a check mark": prose("✅ TASK_COMPLETE"),
    "part of a word": prose("MY_TASK_COMPLETE\nTASK_COMPLETED\n"),
    "an identifier": prose("TASK_COMPLETE_EVENT\n"),
    "two words": prose("Task complete\n"),
    "words with a dash": prose("task-complete\n"),
    "in inline code": prose("`TASK_COMPLETE`\n"),
    "in double quotes": prose('"TASK_COMPLETE"\n'),
    "in quotes over lines": prose('He wrote "\nTASK_COMPLETE\n" there.'),
    "in inline code over lines": prose("Write `\nTASK_COMPLETE\n` there."),
    "in a fence": prose("```\nTASK_COMPLETE\n```\n"),
    "in an open fence": prose("```\nTASK_COMPLETE\n"),
    "in a tilde fence": prose("~~~\nTASK_COMPLETE\n~~~\n"),
    "in an indented block": prose("Write:\n\n    TASK_COMPLETE\n"),
    "behind a tab": prose("\tTASK_COMPLETE\n"),
    "in a block quote": prose("> TASK_COMPLETE\n"),
    "in a quote that runs on": prose("> As you said\nTASK_COMPLETE\n"),
    "in a list item": prose("- TASK_COMPLETE\n- <task_complete>\n"),
    "in a numbered item": prose("1. TASK_COMPLETE\n"),
    "in a table cell": prose("| TASK_COMPLETE |\n"),
    "as a heading": prose("# TASK_COMPLETE\n"),
    "in a comment block": prose("<!--\nTASK_COMPLETE\n-->\n"),
    "another comment": prose("<!-- TASK COMPLETE soon -->\n"),
    "in preformatted text": prose("<pre>\nTASK_COMPLETE\n</pre>\n"),
    "in a thought that was tagged": prose("<think>\nTASK_COMPLETE\n</think>\nNo.\n"),
    "a tag with words": prose("<task_complete>All done.</task_complete>\n"),
    "a tag with attributes in it": prose('<task_complete reason="x">\n'),
    "only the end tag": prose("</task_complete>\n"),
    "emphasis that does not match": prose("**TASK_COMPLETE*\n"),
    "struck out": prose("~~TASK_COMPLETE~~\n"),
    "a zero-width blank in the signal": prose("TASK\u200b_COMPLETE\n"),
    "letters that only look alike": prose("ТASK_COMPLETE\n"),  # noqa: RUF001
    "a megabyte of it": prose("TASK_COMPLETE" * 80_000),
}

CASES = {**SAID, **TALKED_ABOUT}
