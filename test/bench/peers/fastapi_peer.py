"""A peer for the bench: three operations as one would write them with FastAPI, SQLAlchemy and asyncpg, without row level security and limits.

Run by uvicorn with DATABASE_URL and JWT_SECRET.
"""

import os
from datetime import datetime, timezone
from typing import Any, Optional
from uuid import UUID

import jwt
from fastapi import Depends, FastAPI, HTTPException, Query
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel
from sqlalchemy import Boolean, Column, DateTime, Text, func, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import UUID as PgUUID
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import declarative_base, sessionmaker

engine = create_async_engine(os.environ["DATABASE_URL"], pool_size=10)
create_session = sessionmaker(engine, class_=AsyncSession, expire_on_commit=False)
Base = declarative_base()
app = FastAPI()


class Notification(Base):
    __tablename__ = "notifications"
    id = Column(PgUUID(as_uuid=True), primary_key=True)
    account_id = Column(PgUUID(as_uuid=True))
    user_id = Column(PgUUID(as_uuid=True))
    event_key = Column(Text)
    title = Column(Text)
    body = Column(Text)
    link = Column(Text)
    escalation = Column(JSONB)
    is_read = Column(Boolean)
    read_at = Column(DateTime(timezone=True))
    created_at = Column(DateTime(timezone=True))


def write_time(value: datetime) -> str:
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class NotificationResponse(BaseModel):
    id: UUID
    user_id: UUID
    event_key: str
    title: str
    body: Optional[str]
    link: Optional[str]
    escalation: Optional[Any]
    is_read: bool
    read_at: Optional[datetime]
    created_at: datetime

    class Config:
        orm_mode = True
        json_encoders = {datetime: write_time}


class Caller(BaseModel):
    user_id: UUID
    account_id: UUID


class Count(BaseModel):
    count: int


async def open_session():
    async with create_session() as session:
        yield session


async def read_caller(credentials: HTTPAuthorizationCredentials = Depends(HTTPBearer())) -> Caller:
    options = {"verify_aud": False}
    try:
        claims = jwt.decode(credentials.credentials, os.environ["JWT_SECRET"], algorithms=["HS256"], options=options)
    except jwt.InvalidTokenError:
        raise HTTPException(401, "Not authenticated")
    return Caller(user_id=claims["sub"], account_id=claims["acc"])


def own(caller: Caller):
    return (Notification.account_id == caller.account_id, Notification.user_id == caller.user_id)


@app.get("/api/v1/notifications", response_model=list[NotificationResponse])
async def list_notifications(
    limit: int = Query(50, ge=1, le=100),
    caller: Caller = Depends(read_caller),
    session: AsyncSession = Depends(open_session),
):
    order = (Notification.is_read, Notification.created_at.desc(), Notification.id.desc())
    found = await session.execute(select(Notification).where(*own(caller)).order_by(*order).limit(limit + 1))
    return found.scalars().all()[:limit]


@app.get("/api/v1/notifications/unread-count", response_model=Count)
async def count_unread(caller: Caller = Depends(read_caller), session: AsyncSession = Depends(open_session)):
    counted = await session.execute(select(func.count()).where(*own(caller), Notification.is_read.is_(False)))
    return Count(count=counted.scalar_one())


@app.patch("/api/v1/notifications/{id}/read", response_model=NotificationResponse)
async def mark_read(id: UUID, caller: Caller = Depends(read_caller), session: AsyncSession = Depends(open_session)):
    values = {"is_read": True, "read_at": func.coalesce(Notification.read_at, func.now())}
    await session.execute(
        update(Notification).where(*own(caller), Notification.id == id).values(values).execution_options(synchronize_session=False)
    )
    await session.commit()
    found = (await session.execute(select(Notification).where(*own(caller), Notification.id == id))).scalar_one_or_none()
    if found is None:
        raise HTTPException(404, "Not found")
    return found
