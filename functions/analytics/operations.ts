import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as analytics from './service.ts'

export const analyticsOperations = [
  operation({
    id: 'analytics.getTeam',
    route: 'GET /analytics/team',
    summary: 'Get session metrics of my account',
    description: 'With `team_id`, counts the sessions of one team. An unknown team has none.',
    access: 'engineer',
    limit: '30/minute',
    query: schemas.TeamQuery,
    returns: schemas.TeamMetrics,
    handle: ({ ctx, query }) => analytics.getTeam(ctx, query.period, query.team_id),
  }),

  operation({
    id: 'analytics.getMine',
    route: 'GET /analytics/me',
    summary: 'Get my session metrics',
    description: 'My sessions of the period: how many, how long, and how they ended.',
    access: 'user',
    limit: '30/minute',
    query: schemas.PeriodQuery,
    returns: schemas.MyMetrics,
    handle: ({ ctx, query }) => analytics.getMine(ctx, query.period),
  }),

  operation({
    id: 'analytics.listFlows',
    route: 'GET /analytics/flows',
    summary: 'List flow metrics',
    description: 'Lists the flows that sessions of my account started with in the period, most used first.',
    access: 'engineer',
    limit: '30/minute',
    paged: true,
    query: schemas.PeriodQuery,
    returns: z.array(schemas.FlowMetrics),
    handle: ({ ctx, query }) => analytics.listFlows(ctx, query.period, query),
  }),

  operation({
    id: 'analytics.getFlow',
    route: 'GET /analytics/flows/{tree_id}',
    summary: 'Get metrics of a flow',
    description: 'Includes the metrics of each step.',
    access: 'engineer',
    limit: '30/minute',
    params: schemas.FlowId,
    query: schemas.PeriodQuery,
    returns: schemas.OneFlowMetrics,
    handle: ({ ctx, params, query }) => analytics.getFlow(ctx, params.tree_id, query.period),
  }),

  operation({
    id: 'analytics.getEscalations',
    route: 'GET /analytics/flowpilot/escalations',
    summary: 'Get escalation response times',
    description: 'Measures the time between the claim of an escalation and the first action of the claimant.',
    access: 'engineer',
    limit: '30/minute',
    feature: 'ai_sessions',
    query: schemas.PeriodQuery,
    returns: schemas.EscalationMetrics,
    handle: ({ ctx, query }) => analytics.getEscalations(ctx, query.period),
  }),
]
