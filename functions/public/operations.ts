import { z } from 'zod'
import { operation, redirect } from '../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as visitors from './service.ts'

export const publicOperations = [
  redirect({
    id: 'public.signUpForBeta',
    method: 'post',
    path: '/beta-signup',
    summary: 'Sent on to the registration page; no mail is sent',
    description: 'Takes any body or none up to 1 MiB, of any media type, and looks at none of it.',
    access: 'public',
    limit: 'public',
    handle: () => visitors.betaSignup(),
  }),

  operation({
    id: 'public.listPlans',
    method: 'get',
    path: '/plans/public',
    summary: 'The plans on offer, in their order',
    access: 'public',
    platform: 'plans belong to no account',
    limit: 'public',
    success: 200,
    returns: z.array(schemas.PublicPlan),
    handle: ({ ctx }) => visitors.listPlans(ctx),
  }),

  operation({
    id: 'public.getConfig',
    method: 'get',
    path: '/config/public',
    summary: 'What a sign-in page must know',
    access: 'public',
    limit: 'public',
    success: 200,
    returns: schemas.PublicConfig,
    handle: ({ ctx }) => visitors.config(ctx),
  }),

  operation({
    id: 'public.createLead',
    method: 'post',
    path: '/sales-leads',
    summary: 'Ask to be called by sales',
    access: 'public',
    platform: 'leads belong to no account',
    limit: '5/hour/ip',
    body: schemas.SalesLeadCreate,
    success: 201,
    returns: schemas.SalesLeadReceipt,
    handle: ({ ctx, body }) => visitors.createLead(ctx, body),
  }),
]
