"""One call turns a video into JSON that conforms to your schema.

>>> from video_to_json import Client
>>> with Client() as client:
...     answer = client.extract(video="match.mp4", schema={"winner": "home|away|draw"})
"""

from .async_client import AsyncClient
from .client import Client
from .core.schema import ModelClass, SchemaInput
from .core.video import VideoSource
from .errors import (
    AnswerRejectedError,
    AuthenticationError,
    ExtractionFailedError,
    InvalidRequestError,
    NotFoundError,
    OutOfMinutesError,
    RateLimitError,
    SchemaError,
    ServiceError,
    UnavailableError,
    VideoError,
    VideoToJsonConnectionError,
    VideoToJsonError,
    VideoToJsonTimeoutError,
)
from .progress import OnProgress, Progress, Retrying, Uploading, Waiting
from .shapes import (
    Account,
    Clip,
    Detail,
    Evidence,
    EvidenceSpan,
    Extraction,
    FieldEvidence,
    Job,
    JobFailure,
    JobPage,
    JobStatus,
    JobSummary,
    Modality,
    SchemaWarning,
    Verdict,
    Video,
)
from .version import __version__

__all__ = [
    "Account",
    "AnswerRejectedError",
    "AsyncClient",
    "AuthenticationError",
    "Client",
    "Clip",
    "Detail",
    "Evidence",
    "EvidenceSpan",
    "Extraction",
    "ExtractionFailedError",
    "FieldEvidence",
    "InvalidRequestError",
    "Job",
    "JobFailure",
    "JobPage",
    "JobStatus",
    "JobSummary",
    "Modality",
    "ModelClass",
    "NotFoundError",
    "OnProgress",
    "OutOfMinutesError",
    "Progress",
    "RateLimitError",
    "Retrying",
    "SchemaError",
    "SchemaInput",
    "SchemaWarning",
    "ServiceError",
    "UnavailableError",
    "Uploading",
    "Verdict",
    "Video",
    "VideoError",
    "VideoSource",
    "VideoToJsonConnectionError",
    "VideoToJsonError",
    "VideoToJsonTimeoutError",
    "Waiting",
    "__version__",
]
