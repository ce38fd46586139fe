import { type BaseContext, Content, type Context } from '../../../lib/http/operation.ts'
import { renderPage } from '../../../lib/mail/page.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'

type UnsubscribeContext = Context<'post', 'public', string>

/** Return the page that offers to unsubscribe. It changes nothing, because programs that scan e-mails open every link. */
export async function showPage(ctx: BaseContext, token: string): Promise<Content> {
  await verify(ctx, token)
  const text = 'Nobody will be able to send e-mails to your address through Support Flow any more.'
  return toContent(renderPage({ title: 'Unsubscribe', text, button: 'Never send me e-mails again' }))
}

/** Unsubscribe the address of the token. Idempotent. */
export async function unsubscribe(ctx: UnsubscribeContext, token: string): Promise<Content> {
  await queries.insertSuppression(ctx.platform, await verify(ctx, token))
  return toContent(renderPage({ title: 'You are unsubscribed', text: 'Support Flow sends no more e-mails to your address.' }))
}

/** Subscribe the address of the token again. Idempotent. */
export async function resubscribe(ctx: UnsubscribeContext, token: string): Promise<void> {
  await queries.deleteSuppression(ctx.platform, await verify(ctx, token))
}

/** Return the hash of the address that the token was signed for. */
async function verify({ unsubscribeTokens }: BaseContext, token: string): Promise<string> {
  const addressHash = await unsubscribeTokens.verify(token)
  if (!addressHash) throw new Problem('token_invalid_or_expired')
  return addressHash
}

function toContent(html: string): Content {
  return new Content(html, 'text/html; charset=utf-8', undefined, undefined, true)
}
