import { stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as links from './service.ts'

const link = {
  access: 'public',
  platform: 'the link is opened without a sign-in',
  limit: 'public',
  strictLimit: 'public',
  params: schemas.ReviewToken,
  errors: ['link_ended'],
  produces: ['text/html'],
} as const

export const flowReviewLinkOperations = [
  stream({
    ...link,
    id: 'flows.reviewLinks.showPage',
    route: 'GET /review-links/{token}',
    summary: 'Show the page to confirm a flow',
    description:
      'Changes nothing. A link that was used, or whose review was done or is not needed, returns 410 `link_ended`; browsers get a page.',
    handle: ({ ctx, params }) => links.showPage(ctx, params.token),
  }),

  stream({
    ...link,
    id: 'flows.reviewLinks.confirm',
    route: 'POST /review-links/{token}',
    summary: 'Confirm a flow with one click',
    description:
      'The link of a message belongs to its reader and to one review of one flow. It confirms once, while they may confirm the flow. Ignores the body.',
    handle: ({ ctx, params }) => links.confirm(ctx, params.token),
  }),
]
