import * as z from 'zod'
import { operation, stream } from '#http/operation.ts'
import { stepsPerSecond } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as feeds from './service.ts'

export const calendarFeedOperations = [
  operation({
    id: 'oncall.calendarFeeds.list',
    route: 'GET /calendar-feeds',
    summary: 'List calendar feeds',
    description: 'Mine, newest first, without their addresses. An account admin sees those of every member.',
    access: 'engineer',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.CalendarFeed),
    handle: ({ ctx, query }) => feeds.list(ctx, query),
  }),

  operation({
    id: 'oncall.calendarFeeds.create',
    route: 'POST /calendar-feeds',
    summary: 'Create a calendar feed',
    description:
      'Enter the address of the answer in a calendar, which then shows the shifts of a schedule, or all of mine. Whoever knows it reads them without a sign-in, until it is revoked or I am deactivated or a viewer. I have at most 20.',
    access: 'engineer',
    limit: 'write',
    closedToKeys: true,
    // A stored response would contain the secret.
    idempotent: false,
    body: schemas.CalendarFeedCreate,
    returns: schemas.CalendarFeedWithAddress,
    errors: ['limit_reached', 'not_found'],
    handle: ({ ctx, body }) => feeds.create(ctx, body),
  }),

  operation({
    id: 'oncall.calendarFeeds.revoke',
    route: 'DELETE /calendar-feeds/{feed_id}',
    summary: 'Revoke a calendar feed',
    description: 'One of mine; an account admin revokes those of every member.',
    access: 'engineer',
    limit: 'write',
    params: schemas.CalendarFeedId,
    handle: ({ ctx, params }) => feeds.revoke(ctx, params.feed_id),
  }),

  stream({
    id: 'oncall.calendarFeeds.read',
    route: 'GET /calendars/{file}',
    summary: 'Read a calendar feed',
    description:
      'The shifts from 32 days ago to 90 days ahead as iCalendar, with overrides applied; one that goes beyond is left out. Times are in UTC. A shift keeps its `UID` while its start, its user and its schedule stay.',
    access: 'public',
    platform: 'only the secret of the address identifies the account',
    limit: 'public',
    strictLimit: 'public',
    maxSteps: stepsPerSecond / 2,
    params: schemas.CalendarFile,
    produces: ['text/calendar'],
    transport: { hasEtag: true, writes: true, answersHead: true },
    handle: ({ ctx, params }) => feeds.read(ctx, params.file),
  }),
]
