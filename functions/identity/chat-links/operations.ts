import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as chatLinks from './service.ts'

export const chatLinkOperations = [
  operation({
    id: 'identity.chatLinks.getRequest',
    route: 'GET /auth/chat-links/{token}',
    summary: 'Get who asks to be linked',
    description:
      'For the page `/chat-link?token=…`, to which the link in a chat tool leads. It shows the user of the chat tool, and asks the signed-in person whether they have pressed the button themselves.',
    access: 'engineer',
    limit: '20/minute',
    strictLimit: 'sign_in',
    closedToKeys: true,
    params: schemas.RequestToken,
    returns: schemas.ChatLinkRequest,
    errors: ['token_invalid_or_expired'],
    handle: ({ ctx, params }) => chatLinks.getRequest(ctx, params.token),
  }),

  operation({
    id: 'identity.chatLinks.create',
    route: 'POST /auth/chat-links',
    summary: 'Link my user of a chat tool',
    description:
      'From then on the buttons that this user presses act as me. A token works once, within 10 minutes; a newer link of the same user replaces the earlier one. The link is listed among my sign-ins, where I revoke it. It ends with them, for another signing secret, and when nobody has used it for a year.',
    access: 'engineer',
    stepUp: true,
    limit: '20/minute',
    strictLimit: 'sign_in',
    closedToKeys: true,
    platform: 'the tenant role cannot write sign-ins',
    body: schemas.ChatLinkCreate,
    returns: schemas.ChatLink,
    errors: ['token_invalid_or_expired'],
    handle: ({ ctx, body }) => chatLinks.create(ctx, body.token),
  }),
]
