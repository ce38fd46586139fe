import { inAccount } from '#db/enter-account.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import type { Context, ReadContext } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import type { ChatLinkRequest } from '#vendors/auth/chat-link-tokens.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type * as schemas from './schemas.ts'

type LinkContext = Context<'post', 'engineer', string>

export async function getRequest(ctx: ReadContext, token: string): Promise<schemas.ChatLinkRequest> {
  return { chat_user: (await verify(ctx, token)).name }
}

/** Link the user of a request to the caller, once per request. */
export async function create(ctx: LinkContext, token: string): Promise<schemas.ChatLink> {
  const { caller, ip } = ctx
  const request = await verify(ctx, token)
  const link = { ...request, userId: caller.userId, signInId: caller.signInId, ip }
  const inserted = await inAccount(ctx.platform, caller, (db) => queries.insertLink.first(db, link)).catch(
    throwUsed,
  )
  if (!inserted) throw new Problem('token_invalid_or_expired')
  const { delivery_id, ...created } = inserted
  if (delivery_id) enqueueDelivery(ctx.platform, delivery_id)
  return { ...created, chat_user: request.name }
}

/** Return the request of a token. That of another account is as wrong as one that nobody has signed. */
async function verify(
  { chatLinkTokens, caller }: Pick<ReadContext, 'chatLinkTokens' | 'caller'>,
  token: string,
): Promise<ChatLinkRequest> {
  const request = await chatLinkTokens.verify(token)
  if (request?.accountId !== caller.accountId) throw new Problem('token_invalid_or_expired')
  return request
}

/** Another request has used the token at the same time. */
function throwUsed(error: unknown): never {
  throw getViolatedConstraint(error) === 'chat_links_account_id_request_id_key'
    ? new Problem('token_invalid_or_expired')
    : error
}
