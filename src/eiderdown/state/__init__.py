"""Files in which long work is kept while it is done: nothing that was finished is lost."""

from eiderdown.state.lock import ClaimedFile
from eiderdown.state.records import RecordFile
from eiderdown.state.whole import StateFile

__all__ = ["ClaimedFile", "RecordFile", "StateFile"]
