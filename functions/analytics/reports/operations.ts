import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'

// Loaded on first use: few requests need it.
const loadReports = () => import('./service.ts')

export const reportOperations = [
  operation({
    id: 'analytics.reports.getWeekly',
    route: 'GET /reports/weekly',
    summary: 'Get the weekly report of a team',
    description:
      'Returns the sessions resolved and escalated, the time to claim, the flows that help and those that do not, and the busiest hours. The week begins on Monday in the time zone of the team, or else of the account. `html` has charts with tables, `pdf` the branding of the team, and `csv` one number per line.',
    access: 'engineer',
    limit: '30/minute',
    query: schemas.WeeklyReportQuery,
    returns: schemas.WeeklyReport,
    produces: ['application/json', 'text/html', 'application/pdf', 'text/csv'],
    errors: ['not_found', 'provider_error'],
    handle: async ({ ctx, query }) => (await loadReports()).getWeekly(ctx, query),
  }),

  operation({
    id: 'analytics.reports.listSubscriptions',
    route: 'GET /reports/weekly/subscriptions',
    summary: 'List my weekly report subscriptions',
    description: 'The reports that are mailed to me, each with its team or account.',
    access: 'engineer',
    limit: 'read',
    closedToKeys: true,
    paged: true,
    returns: z.array(schemas.ReportSubscription),
    handle: async ({ ctx, query }) => (await loadReports()).listSubscriptions(ctx, query),
  }),

  operation({
    id: 'analytics.reports.subscribe',
    route: 'PUT /reports/weekly/subscriptions/{team_id}',
    summary: 'Subscribe to a weekly report',
    description:
      'Sends me the report of the week before by e-mail, each Monday at 8:00 in the time zone of the team. A repeated request changes nothing.',
    access: 'engineer',
    limit: 'write',
    closedToKeys: true,
    params: schemas.ReportTeamId,
    returns: schemas.ReportSubscription,
    handle: async ({ ctx, params }) => (await loadReports()).subscribe(ctx, params.team_id),
  }),

  operation({
    id: 'analytics.reports.unsubscribe',
    route: 'DELETE /reports/weekly/subscriptions/{team_id}',
    summary: 'Unsubscribe from a weekly report',
    description: 'Succeeds if there is no subscription. Each e-mail has a link that does the same.',
    access: 'user',
    limit: 'write',
    closedToKeys: true,
    params: schemas.ReportTeamId,
    handle: async ({ ctx, params }) => (await loadReports()).unsubscribe(ctx, params.team_id),
  }),
]
