"""The names that others import from `sandbox`, each from its module."""
# ruff: noqa: F401, I001
# fmt: off

from sandbox.doctor.doctor import Check, examine, why_unfit
from sandbox.errors import CgroupError, CommandError, DisturbedError, ImageError, JailError, LimitsError
from sandbox.errors import MeterUnavailable, SandboxError, WorkdirError
from sandbox.jail.jail import OpenJail
from sandbox.jail.leftovers import remove_leftovers
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import PairOutcome, Side, run_pair
from sandbox.types import MIB, Collect, Command, Destination, Ending, Image, IoProfile, JailSpec, Limits, Mount, Outcome
from sandbox.types import Profile, StreamUse, TimelinePoint, Usage, Watch
