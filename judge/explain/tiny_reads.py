"""Input that is fetched from the kernel in tiny pieces."""

from judge.events import Finding
from judge.explain.story import KERNEL_SHARE, MANY_CALLS, Story
from judge.explain.words import calls, size

_SMALL_READ_BYTES = 64


def find(story: Story) -> Finding | None:
    """Speaks when many small reads went with a large share of kernel time."""
    case = story.focus
    if story.is_interactive or case is None or case.io.read_calls < MANY_CALLS:
        return None
    mean = case.io.read_bytes / case.io.read_calls
    share = story.kernel_percent(case)
    if mean > _SMALL_READ_BYTES or share < KERNEL_SHARE:
        return None
    usage = case.usage
    return Finding(
        code="tiny-reads",
        text=(
            f"Your program made {calls(case.io.read_calls, 'read')} of {size(mean)} on average on {story.where(case)}; "
            f"{story.kernel_words(case)} Reading larger pieces takes fewer calls."
        ),
        evidence={
            "test_case": case.name,
            "read_calls": case.io.read_calls,
            "bytes_per_read": round(mean, 1),
            "system_time_us": usage.system_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "kernel_percent": share,
        },
    )
