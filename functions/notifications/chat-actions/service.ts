import * as messages from '#functions/notifications/messages/service.ts'
import type { Context } from '#http/operation.ts'
import { notFound } from '#problem.ts'
import { type Released, releaseParts } from '#rules/audience.ts'
import { readSessionPath } from '#rules/events/events.ts'
import { release } from '#rules/release.ts'
import { parseJson } from '#rules/text/json.ts'
import type { ChatActionKind, ChatNotice, PressAnswer } from '#vendors/chat/chat.ts'
import { type Press, readPress } from '#vendors/chat/press.ts'
import { isSignedBySlack, openSigningSecret } from '#vendors/chat/signing.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import type { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import * as queries from './queries.ts'
import type { PressReceipt } from './schemas.ts'

type PressContext = Context<'post', 'signed', string>

/** What becomes of a press: whether the message changes, and what the person is told. */
interface Outcome {
  result: PressReceipt['result']
  isChanged?: boolean
  notice?: ChatNotice
}

/**
 * Act for the person who has pressed a button, within the 3 s that Slack waits, and answer afterwards. The act
 * is one transaction, so a press that is repeated, or whose answer is lost, acts once. A wrong signature
 * is refused like an unknown config.
 */
export async function receive(ctx: PressContext, configId: string, body: RawBody): Promise<PressReceipt> {
  const config = await queries.selectConfig.first(ctx.platform, configId)
  const secret = config
    ? await openSigningSecret(ctx.vault, config.account_id, config.signing_secret)
    : crypto.randomUUID()
  if (!(await isSignedBySlack(body, secret)) || !config) throw notFound('Chat address')
  const press = readPress(body.bytes)
  if (!press) return { result: 'ignored' }
  const outcome = await act(ctx, config, press)
  ctx.afterCommit(() => answer(ctx, config, press, outcome))
  return { result: outcome.result }
}

async function act(ctx: PressContext, config: queries.SignedConfig, press: Press): Promise<Outcome> {
  const link = await queries.useLink.first(ctx.platform, config, press)
  if (!link) return offerLink(ctx, config, press)
  const { user_id: userId, sign_in_id: signInId } = link
  const message = await queries.selectMessage.first(ctx.platform, config, press.deliveryId)
  const call = message && toCall(press.kind, message)
  if (!call) return refuse('This message is too old for its buttons. Open it in Support Flow.')
  const answered = await ctx.callAs({ userId, accountId: config.account_id, signInId }, call)
  if (answered.status < 300) return { result: 'done', isChanged: true }
  if (answered.status === 401) return offerLink(ctx, config, press)
  const { detail = '', ...facts } = (parseJson(answered.text) ?? {}) as {
    detail?: string
    decided_by?: string
    state?: string
  }
  // A press that is repeated.
  if (press.kind === 'approve' && facts.decided_by === userId && facts.state === 'approved')
    return { result: 'done', isChanged: true }
  // Whoever was faster is what the message did not say.
  return { ...refuse(detail || 'This did not work. Try again.'), isChanged: answered.status === 409 }
}

const refuse = (text: string): Outcome => ({ result: 'refused', notice: { text } })

/** Return the call of the operation that a button stands for. Undefined for a button of another message. */
function toCall(
  kind: ChatActionKind,
  { link, escalation, requested_approval, approval }: ClaimedDelivery,
): { path: string; body: unknown } | undefined {
  if (kind === 'approve')
    return requested_approval && approval
      ? {
          path: `/sessions/${requested_approval.session_id}/approvals/${approval.approval_id}/approve`,
          body: {},
        }
      : undefined
  const sessionId = readSessionPath(link)
  const handoffId = escalation?.handoff_id
  return sessionId && handoffId
    ? { path: `/ai-sessions/${sessionId}/handoffs/${handoffId}/${kind}`, body: {} }
    : undefined
}

/** Offer the user of a press to link themselves. The token is for their eyes only. */
async function offerLink(
  { config: { OAUTH_REDIRECT_BASE, FRONTEND_URL }, chatLinkTokens }: PressContext,
  { id: configId, account_id: accountId }: queries.SignedConfig,
  { team, chatUser, name }: Press,
): Promise<Outcome> {
  const requestId = crypto.randomUUID()
  const token = await chatLinkTokens.sign({ requestId, accountId, configId, team, chatUser, name })
  const url = `${OAUTH_REDIRECT_BASE ?? FRONTEND_URL}/chat-link?token=${token}`
  const text =
    'Support Flow does not know yet who you are here. Sign in once to link yourself, within 10 minutes; then press the button again.'
  return { result: 'not_linked', notice: { text, link: { label: 'Link my user', url } } }
}

/**
 * Show the new state of the message, and tell the person what only they see. Slack takes both at the same
 * address, for 30 minutes; a failed answer loses nothing but itself.
 */
async function answer(
  ctx: PressContext,
  config: queries.SignedConfig,
  { deliveryId, responseUrl }: Press,
  { isChanged, notice }: Outcome,
): Promise<void> {
  if (!(await mayAnswer(ctx, config, responseUrl))) return
  const answers: Released<PressAnswer>[] = []
  const message = isChanged && (await queries.selectMessage.first(ctx.platform, config, deliveryId))
  if (message) answers.push(releaseParts({ message: await messages.writeMessage(ctx, message) }))
  if (notice) answers.push(release({ notice }, config.is_masked))
  for (const each of answers) {
    const sent = await ctx.chat.answerPress(responseUrl, each)
    // Once more: what the person waits for is not worth a queue.
    if (!sent.ok && !sent.isRemoved && (sent.status ?? 500) >= 500)
      await ctx.chat.answerPress(responseUrl, each)
  }
}

/**
 * Whether an address of a press may be called. It is outside input: only the host of the config's webhook is
 * known to be the chat tool.
 */
async function mayAnswer(
  { guard }: PressContext,
  { webhook_url }: queries.SignedConfig,
  url: string,
): Promise<boolean> {
  const isOfTool = URL.canParse(url) && new URL(url).origin === new URL(webhook_url).origin
  return isOfTool && (await guard.findRefusal(url, 'sending')) === null
}
