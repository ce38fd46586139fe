import { ConfigId } from '#functions/notifications/notifications/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as actions from './service.ts'

export const chatActionOperations = [
  operation({
    id: 'notifications.chatActions.receive',
    route: 'POST /chat/{config_id}/actions',
    summary: 'Receive a pressed button of Slack',
    description:
      'The Request URL of a Slack app, whose signing secret the config has: `X-Slack-Signature` must sign the raw body, at most five minutes ago; else it is 404. `Claim`, `Acknowledge` and `Approve` act as the person who has linked the Slack user, as their own request would; the message then says who has it. Whoever is not linked gets a link that only they see, and whoever may not act gets the reason. A repeated press acts once.',
    access: 'signed',
    platform: 'only the config identifies the account',
    limit: '600/minute',
    strictLimit: 'public',
    bodyFormat: 'raw',
    maxBody: 256 * 1024,
    callsExternalService: true,
    params: ConfigId,
    success: 200,
    returns: schemas.PressReceipt,
    handle: ({ ctx, params, body }) => actions.receive(ctx, params.config_id, body),
  }),
]
