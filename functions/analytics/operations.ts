import { z } from 'zod'
import { operation } from '../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as analytics from './service.ts'

export const analyticsOperations = [
  operation({
    id: 'analytics.getTeam',
    method: 'get',
    path: '/analytics/team',
    summary: 'What my account’s sessions came to',
    access: 'engineer',
    limit: '30/minute',
    query: schemas.PeriodQuery,
    success: 200,
    returns: schemas.TeamFigures,
    handle: ({ ctx, query }) => analytics.team(ctx, query.period),
  }),

  operation({
    id: 'analytics.getMine',
    method: 'get',
    path: '/analytics/me',
    summary: 'What my sessions came to',
    access: 'user',
    limit: '30/minute',
    query: schemas.PeriodQuery,
    success: 200,
    returns: schemas.MyFigures,
    handle: ({ ctx, query }) => analytics.mine(ctx, query.period),
  }),

  operation({
    id: 'analytics.listFlows',
    method: 'get',
    path: '/analytics/flows',
    summary: 'Flows that sessions of my account began with, the most used first',
    access: 'engineer',
    limit: '30/minute',
    paged: true,
    query: schemas.PeriodQuery,
    success: 200,
    returns: z.array(schemas.FlowFigures),
    handle: ({ ctx, query }) => analytics.flows(ctx, query.period, query),
  }),

  operation({
    id: 'analytics.getFlow',
    method: 'get',
    path: '/analytics/flows/{tree_id}',
    summary: 'How sessions went through a flow, step by step',
    access: 'engineer',
    limit: '30/minute',
    params: schemas.FlowId,
    query: schemas.PeriodQuery,
    success: 200,
    returns: schemas.OneFlowFigures,
    handle: ({ ctx, params, query }) => analytics.flow(ctx, params.tree_id, query.period),
  }),

  operation({
    id: 'analytics.getEscalations',
    method: 'get',
    path: '/analytics/flowpilot/escalations',
    summary: 'How soon whoever claimed an escalation did something about it',
    access: 'engineer',
    limit: '30/minute',
    feature: 'ai_sessions',
    query: schemas.PeriodQuery,
    success: 200,
    returns: schemas.EscalationFigures,
    handle: ({ ctx, query }) => analytics.escalations(ctx, query.period),
  }),
]
