import { stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as links from './service.ts'

const link = {
  access: 'public',
  platform: 'the link is opened without a sign-in',
  limit: 'public',
  strictLimit: 'public',
  params: schemas.ApprovalToken,
  errors: ['link_ended'],
  produces: ['text/html'],
} as const

export const approvalLinkOperations = [
  stream({
    ...link,
    id: 'sessions.approvalLinks.showPage',
    route: 'GET /approval-links/{token}',
    summary: 'Show the page to decide an approval',
    description:
      'Changes nothing. A link that was used, or whose request has ended, returns 410 `link_ended`; browsers get a page.',
    handle: ({ ctx, params }) => links.showPage(ctx, params.token),
  }),

  stream({
    ...link,
    id: 'sessions.approvalLinks.decide',
    route: 'POST /approval-links/{token}',
    summary: 'Decide an approval with one click',
    description:
      'The link of a message belongs to its approver, and to what was to be approved. It decides once, while the request is open and the approver may decide it. Ignores the body.',
    handle: ({ ctx, params }) => links.decide(ctx, params.token),
  }),
]
