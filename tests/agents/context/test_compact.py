"""What is dropped of a history that is too long: noise first, never words, never a call without its result."""

from random import Random

import pytest

from bottega.agents.context import summary
from bottega.agents.context.compact import Aim, draft
from bottega.agents.context.estimate import tokens
from bottega.agents.context.measure import message_tokens
from bottega.agents.context.noise import Told, noise
from bottega.messages.block import Image, Text, ToolResult, ToolUse
from bottega.messages.message import Message, user
from tests.hunt import LONG, SEED, examples

BIG = "line of output number such and such\n" * 60


def step(
    number: int, name: str, given: dict[str, object], said: str, *, is_error: bool = False
) -> list[Told]:
    use = ToolUse(f"c{number}", name, dict(given))
    result = ToolResult(use.id, (Text(said),), is_error)
    return [
        (number * 10, Message("assistant", (use,))),
        (number * 10 + 1, Message("tool", (result,))),
    ]


def run(number: int, said: str = BIG, code: int = 0) -> list[Told]:
    text = f'{{"status":"success","result":{{"exit_code":{code},"stdout":"{said}"}}}}'
    return step(number, "bash_exec", {"command": f"make {number}"}, text)


def read(number: int, path: str = "a.py", said: str = BIG, **more: object) -> list[Told]:
    return step(number, "read_file", {"file_path": path, **more}, said + str(number))


def cut(*parts: list[Told]) -> list[int]:
    told: list[Told] = [(1, user("go")), *(each for part in parts for each in part)]
    return noise(told, len(told) - 1)


def test_long_outputs_of_what_went_well_are_noise_and_failures_are_not() -> None:
    assert cut(run(1), run(2, code=2), run(3, "short"), run(4)) == [11]
    failed = step(5, "bash_exec", {"command": "x"}, BIG, is_error=True)
    assert cut(failed, run(6)) == []


def test_a_read_is_noise_once_the_same_file_was_read_or_written_whole_again() -> None:
    assert cut(read(1), read(2, "b.py"), read(3)) == [11]
    assert cut(read(1), read(2, start_line=4, end_line=9), run(3)) == [], "a part is not the whole"
    written = step(2, "write_file", {"file_path": "a.py", "content": "x"}, "written")
    assert cut(read(1), written, run(3)) == [11]
    patched = step(2, "patch_file", {"file_path": "a.py"}, "patched")
    assert cut(read(1), patched, run(3)) == []
    lost = step(2, "read_file", {"file_path": "a.py"}, "no such file", is_error=True)
    assert cut(read(1), lost, run(3)) == [], "a read that failed tells nothing anew"


def test_lists_pictures_and_what_is_said_again_are_noise() -> None:
    listed = step(1, "list_dir", {}, BIG)
    assert cut(listed, run(2)) == [11]
    picture = [
        (10, Message("assistant", (ToolUse("c1", "look"),))),
        (11, Message("tool", (ToolResult("c1", (Image("image/png", "aGk="),)),))),
    ]
    assert cut(picture, run(2)) == [11]
    same = [step(n, "query", {"n": n}, BIG) for n in (1, 2)]
    assert cut(*same, run(3)) == [11]


def test_cutting_noise_is_enough_where_it_is() -> None:
    told: list[Told] = [(1, user("go")), *(each for n in range(1, 11) for each in run(n))]
    made = draft(told, Aim(window=5_000))
    assert made is not None
    assert made.upto == 0
    assert made.left < 5_000 * 0.6
    assert 101 not in made.cut, "the last step stays"


def test_a_summary_is_planned_where_noise_is_not_enough_and_the_last_steps_stay() -> None:
    told: list[Told] = [(1, user("go"))]
    told += [each for n in range(1, 21) for each in read(n, f"{n}.py")]
    made = draft(told, Aim(window=12_000))
    assert made is not None
    assert made.upto
    kept = [each for each in told if each[0] > made.upto]
    assert kept[0][1].role == "assistant"
    assert sum(message.role == "assistant" for _, message in kept) >= 2
    assert sum(message_tokens(m) for _, m in kept) < 12_000 * 0.2
    assert made.dropped == {"messages": len(made.replaced) // 2, "results": len(made.replaced) // 2}


def test_one_result_that_is_too_long_goes_even_from_the_last_step() -> None:
    told: list[Told] = [(1, user("go")), *step(1, "query", {}, BIG * 50)]
    made = draft(told, Aim(window=8_000, pressed=True))
    assert made is not None
    assert made.cut == (11,)


def test_a_short_history_leaves_nothing_to_drop() -> None:
    told: list[Told] = [(1, user("go")), (2, Message("assistant", (Text("yes"),)))]
    assert draft(told, Aim(window=100_000, summed=True)) is None


def generated(dice: Random) -> list[Told]:
    told: list[Told] = []
    for number in range(1, dice.randint(2, 12)):
        told.append((number * 100, user("words " * dice.randint(1, 80))))
        for inner in range(dice.randint(0, 4)):
            calls = [
                ToolUse(f"c{inner}-{i}", dice.choice(["bash_exec", "read_file", "query"]))
                for i in range(dice.randint(1, 3))
            ]
            told.append((number * 100 + inner * 10 + 1, Message("assistant", tuple(calls))))
            for place, use in enumerate(calls):
                result = ToolResult(
                    use.id, (Text("out " * dice.randint(1, 900)),), dice.random() < 0.2
                )
                told.append((number * 100 + inner * 10 + 2 + place, Message("tool", (result,))))
        told.append(
            (number * 100 + 90, Message("assistant", (Text("so " * dice.randint(1, 300)),)))
        )
    return told


@pytest.mark.fuzz
def test_a_plan_never_parts_a_call_from_its_result_and_always_makes_room() -> None:
    seed = SEED if not LONG else Random().randrange(2**32)
    print(f"seed {seed}")
    dice = Random(seed)
    for _ in range(examples(150, 20_000)):
        told = generated(dice)
        aim = Aim(
            dice.choice([2_000, 8_000, 30_000]),
            summed=dice.random() < 0.5,
            pressed=dice.random() < 0.5,
        )
        made = draft(told, aim)
        if made is None:
            continue
        kept = [message for index, message in told if index > made.upto]
        open_: list[str] = []
        for message in kept:
            for block in message.content:
                if isinstance(block, ToolUse):
                    open_.append(block.id)
                elif isinstance(block, ToolResult):
                    assert block.tool_id in open_
        assert made.left < made.before
        assert all(index > made.upto for index in made.cut)
        failures = {
            index
            for index, m in told
            if m.role == "tool" and any(isinstance(b, ToolResult) and b.is_error for b in m.content)
        }
        huge = {index for index, m in told if message_tokens(m) > aim.window / 20}
        assert not (failures - huge) & set(made.cut)


def test_the_record_for_the_summary_fits_and_shows_beginning_and_end() -> None:
    told = [
        (1, user("first words")),
        *(each for n in range(1, 60) for each in run(n)),
        (999, user("last words")),
    ]
    shown = summary.shown(told, 3_000)
    assert tokens(shown) < 3_100
    assert "first words" in shown
    assert "last words" in shown


def test_a_digest_keeps_every_failure_it_has_room_for_and_never_grows_too_long() -> None:
    told = [each for n in range(1, 100) for each in (run(n, "boom", 3) if n == 7 else run(n))]
    text = summary.digest(told, "the model failed", 400)
    assert tokens(text) < 450
    assert "- failed [71]" in text
    assert "boom" in text
    assert "more are in the log" in text


def test_a_summary_must_say_something_in_less_room_than_it_replaces() -> None:
    assert not summary.is_of_use("   ", 100, 1.0)
    assert not summary.is_of_use("word " * 200, 100, 1.0)
    assert summary.is_of_use("They looked for the leak and found it.", 100, 1.0)
    assert not summary.is_of_use("They looked for the leak and found it. " * 5, 60, 2.0)
