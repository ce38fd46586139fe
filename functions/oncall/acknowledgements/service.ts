import { enterAccount } from '#db/enter-account.ts'
import { inTransaction } from '#db/scope.ts'
import * as reminders from '#functions/oncall/reminders/service.ts'
import { type BaseContext, Content, type Context } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { releaseParts } from '#rules/audience.ts'
import { renderPage } from '#vendors/mail/page.ts'
import * as queries from './queries.ts'

type AcknowledgeContext = Context<'post', 'public', string>

/**
 * Return the page that offers to acknowledge. It changes nothing, because programs that scan e-mails open
 * every link.
 */
export async function showPage(ctx: BaseContext, token: string): Promise<Content> {
  await verify(ctx, token)
  const text =
    'Reminders about this escalation stop, and the engineer who escalated is notified. To take it over, pick it up in Support Flow.'
  return Content.page(
    renderPage(releaseParts({ title: 'Acknowledge the escalation', text, button: 'I take care of it' })),
  )
}

/** Acknowledge the escalation of the link. A repeated request, or one after a claim, changes nothing. */
export async function acknowledge(ctx: AcknowledgeContext, token: string): Promise<Content> {
  const deliveryId = await verify(ctx, token)
  const isChanged = await inTransaction(ctx.platform, async (db) => {
    const link = await queries.selectLink.first(db, deliveryId)
    if (!link) throw new Problem('token_invalid_or_expired')
    await enterAccount.run(db, link.account_id, link.user_id)
    return reminders.acknowledge(db, link.follow_up_id, link.user_id)
  })
  const page = isChanged
    ? {
        title: 'Escalation acknowledged',
        text: 'Nobody else is reminded. Pick the session up in Support Flow to take it over.',
      }
    : {
        title: 'Nothing left to do',
        text: 'Somebody already takes care of this escalation, or its session has ended.',
      }
  return Content.page(renderPage(releaseParts(page)))
}

/** Return the id of the delivery that the token was signed for. */
async function verify({ acknowledgementTokens }: BaseContext, token: string): Promise<string> {
  const deliveryId = await acknowledgementTokens.verify(token)
  if (!deliveryId) throw new Problem('token_invalid_or_expired')
  return deliveryId
}
