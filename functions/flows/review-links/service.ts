import { inAccount } from '#db/enter-account.ts'
import type { PlatformDb } from '#db/scope.ts'
import * as reviews from '#functions/flows/reviews/service.ts'
import { type BaseContext, Content, type Context } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { writeDueDay } from '#rules/events/review-alert.ts'
import { release } from '#rules/release.ts'
import { formatDate } from '#rules/reports/labels.ts'
import { sentence } from '#rules/text/sentence.ts'
import type { ReviewLink } from '#vendors/auth/review-tokens.ts'
import { renderPage } from '#vendors/mail/page.ts'
import * as queries from './queries.ts'

type LinkContext = Context<'post', 'public', string>

/**
 * Return the page that offers to confirm the flow. It confirms nothing, because programs that scan e-mails
 * open every link.
 */
export async function showPage(ctx: LinkContext, token: string): Promise<Content> {
  const link = await verify(ctx, token)
  const { name, version, due_on, is_masked } = await inAccount(ctx.platform, link, (db) =>
    requireOpen(db, link),
  )
  return toContent(
    {
      title: sentence`Is this flow still right? ${name}`,
      text: `${writeDueDay(due_on ?? '')}. You confirm version ${version}, the current one. If it is not right, change it instead.`,
      button: 'It is still right',
    },
    is_masked,
  )
}

/** Confirm as the user of the link. Of all links of a review, the first one that is confirmed counts. */
export async function confirm(ctx: LinkContext, token: string): Promise<Content> {
  const link = await verify(ctx, token)
  const { name, next_due_on, is_masked } = await inAccount(ctx.platform, link, async (db) => {
    const flow = await requireOpen(db, link)
    if (!(await reviews.confirmByLink(db, link)))
      throw new Problem('link_ended', 'Somebody has reviewed this flow since')
    const next = await queries.selectLinked.first(db, link)
    return { ...flow, next_due_on: next?.due_on ?? null }
  })
  return toContent(
    {
      title: sentence`You confirmed: ${name}`,
      text: next_due_on
        ? `The next review is due on ${formatDate(next_due_on)}. You can close this page.`
        : 'You can close this page.',
    },
    is_masked,
  )
}

/** Return the flow of a link. Throw 404 for a link that leads nowhere, and 410 for one that has ended. */
async function requireOpen(db: PlatformDb, link: ReviewLink) {
  const flow = await queries.selectLinked.first(db, link)
  if (!flow) throw new Problem('not_found', 'This link leads to no flow')
  if (!flow.is_open) throw new Problem('link_ended', 'This flow was reviewed since, or needs no review')
  if (!flow.may_review) throw new Problem('link_ended', 'You may not review this flow any more')
  return flow
}

async function verify({ reviewTokens }: BaseContext, token: string): Promise<ReviewLink> {
  const link = await reviewTokens.verify(token)
  if (!link) throw new Problem('not_found', 'This link is wrong')
  return link
}

function toContent(page: { title: string; text: string; button?: string }, isMasked: boolean): Content {
  return Content.page(renderPage(release(page, isMasked)))
}
