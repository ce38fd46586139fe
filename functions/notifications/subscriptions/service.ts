import { type BaseContext, Content, type Context } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { releaseParts } from '#rules/audience.ts'
import type { SubscriptionKey } from '#vendors/auth/unsubscribe-tokens.ts'
import { renderPage } from '#vendors/mail/page.ts'
import * as queries from './queries.ts'

// Loaded on first use: few links need it.
const loadReports = () => import('#functions/analytics/reports/service.ts')
const reportText = 'You will no longer get this weekly report.'

type UnsubscribeContext = Context<'post', 'public', string>

/**
 * Return the page that offers to unsubscribe. It changes nothing, because programs that scan e-mails open
 * every link.
 */
export async function showPage(ctx: BaseContext, token: string): Promise<Content> {
  const link = await verify(ctx, token)
  if (typeof link !== 'string')
    return Content.page(
      renderPage(
        releaseParts({ title: 'Unsubscribe', text: reportText, button: 'Unsubscribe from this report' }),
      ),
    )
  const text = 'Nobody will be able to send e-mails to your address through Support Flow any more.'
  return Content.page(
    renderPage(releaseParts({ title: 'Unsubscribe', text, button: 'Never send me e-mails again' })),
  )
}

/** Unsubscribe the address of the token, or end the subscription of a report. Idempotent. */
export async function unsubscribe(ctx: UnsubscribeContext, token: string): Promise<Content> {
  const link = await verify(ctx, token)
  if (typeof link === 'string') await queries.insertSuppression(ctx.platform, link)
  else await (await loadReports()).unsubscribeByLink(ctx, link)
  const text = typeof link === 'string' ? 'Support Flow sends no more e-mails to your address.' : reportText
  return Content.page(renderPage(releaseParts({ title: 'You are unsubscribed', text })))
}

/** Subscribe the address of the token, or to the report, again. Idempotent. */
export async function resubscribe(ctx: UnsubscribeContext, token: string): Promise<void> {
  const link = await verify(ctx, token)
  if (typeof link === 'string') await queries.deleteSuppression(ctx.platform, link)
  else await (await loadReports()).resubscribeByLink(ctx, link)
}

/** Return what the token was signed for: the hash of an address, or the subscription of a report. */
async function verify({ unsubscribeTokens }: BaseContext, token: string): Promise<string | SubscriptionKey> {
  const link = (await unsubscribeTokens.verify(token)) ?? (await unsubscribeTokens.verifySubscription(token))
  if (!link) throw new Problem('token_invalid_or_expired')
  return link
}
