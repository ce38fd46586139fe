import { inAccount } from '#db/enter-account.ts'
import type { PlatformDb } from '#db/scope.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import { type BaseContext, Content, type Context } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { release } from '#rules/release.ts'
import { sentence } from '#rules/text/sentence.ts'
import type { ApprovalLink } from '#vendors/auth/approval-tokens.ts'
import { renderPage } from '#vendors/mail/page.ts'
import * as queries from './queries.ts'

type LinkContext = Context<'post', 'public', string>

/**
 * Return the page that offers the decision of the link. It decides nothing, because programs that scan
 * e-mails open every link.
 */
export async function showPage(ctx: LinkContext, token: string): Promise<Content> {
  const link = await verify(ctx, token)
  const request = await inAccount(ctx.platform, link, (db) => requireOpen(db, link))
  const { title, target, client_name, requested_by_name, is_masked } = request
  const isApproval = link.decision === 'approved'
  const place = target === null ? '' : sentence`It runs once, on ${target} of ${client_name || 'no client'}. `
  const text = isApproval
    ? sentence`${place}${requested_by_name} asked for it. The message has the details; approve only what you have read there.`
    : sentence`${place}${requested_by_name} asked for it and is told that you declined.`
  return Content.page(
    renderPage(
      release(
        {
          title: sentence`${isApproval ? 'Approve' : 'Decline'}: ${title}`,
          text,
          button: isApproval ? 'Approve' : 'Decline',
        },
        is_masked,
      ),
    ),
  )
}

/**
 * Decide as the approver of the link. Of all links of a request, in all messages, the first that is confirmed
 * decides.
 */
export async function decide(ctx: LinkContext, token: string): Promise<Content> {
  const link = await verify(ctx, token)
  const { title, is_masked } = await inAccount(ctx.platform, link, async (db) => {
    const { session_id, is_masked } = await requireOpen(db, link)
    const comment = link.decision === 'rejected' ? 'Declined by the link in the message' : ''
    const ids = { session_id, approval_id: link.approvalId }
    const decided = await approvals
      .decideAs({ db, userId: link.userId }, ids, link.decision, comment)
      .catch(throwEnded)
    return { ...decided, is_masked }
  })
  const verb = link.decision === 'approved' ? 'approved' : 'declined'
  return Content.page(
    renderPage(
      release(
        {
          title: sentence`You ${verb}: ${title}`,
          text: 'The technician is notified. You can close this page.',
        },
        is_masked,
      ),
    ),
  )
}

/**
 * Return the request of a link. Throw 404 for a link that leads nowhere, and 410 for one that was used or has
 * expired.
 */
async function requireOpen(db: PlatformDb, link: ApprovalLink) {
  const request = await queries.selectLinked.first(db, link)
  if (!request) throw new Problem('not_found', 'This link leads to no request')
  if (!request.is_open)
    throw new Problem('link_ended', 'This request was decided, has expired or is not needed any more')
  if (!request.may_decide) throw new Problem('link_ended', 'You may not decide this request any more')
  return request
}

/** Another decision was faster. */
function throwEnded(error: unknown): never {
  throw error instanceof Problem && error.status < 500
    ? new Problem('link_ended', undefined, { cause: error })
    : error
}

async function verify({ approvalTokens }: BaseContext, token: string): Promise<ApprovalLink> {
  const link = await approvalTokens.verify(token)
  if (!link) throw new Problem('not_found', 'This link is wrong')
  return link
}
