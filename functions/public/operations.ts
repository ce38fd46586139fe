import * as z from 'zod'
import { operation, redirect } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as publicService from './service.ts'

export const publicOperations = [
  redirect({
    id: 'public.signUpForBeta',
    route: 'POST /beta-signup',
    summary: 'Redirect a beta sign-up to the registration page',
    description: 'Accepts any body of any media type up to 1 MiB, and ignores it. Sends no e-mail.',
    access: 'public',
    limit: 'public',
    strictLimit: 'public',
    handle: () => publicService.signUpForBeta(),
  }),

  operation({
    id: 'public.listPlans',
    route: 'GET /plans/public',
    summary: 'List public plans',
    description: 'In the order of `sort_order`.',
    access: 'public',
    platform: 'plans belong to no account',
    limit: 'public',
    strictLimit: 'public',
    returns: z.array(schemas.PublicPlan),
    handle: ({ ctx }) => publicService.listPlans(ctx),
  }),

  operation({
    id: 'public.getConfig',
    route: 'GET /config/public',
    summary: 'Get the configuration of the sign-in page',
    description:
      'The ways to sign in that are switched on, and what a page needs before anyone has signed in.',
    access: 'public',
    limit: 'public',
    strictLimit: 'public',
    returns: schemas.PublicConfig,
    handle: ({ ctx }) => publicService.getConfig(ctx),
  }),

  operation({
    id: 'public.createLead',
    route: 'POST /sales-leads',
    summary: 'Submit a sales lead',
    description: 'Stores the lead for the sales team.',
    access: 'public',
    platform: 'leads belong to no account',
    limit: '5/hour/ip',
    strictLimit: 'public',
    body: schemas.SalesLeadCreate,
    returns: schemas.SalesLeadReceipt,
    handle: ({ ctx, body }) => publicService.createLead(ctx, body),
  }),
]
