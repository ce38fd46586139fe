import { afterAll, describe, expect, it } from 'vitest'
import { releaseParts } from '#rules/audience.ts'
import { startVendorServer, type VendorAnswer } from '#test/support/vendor-server.ts'
import type { ChatMessage } from '#vendors/chat/chat.ts'
import { buildChatBody, chatWebhooks } from '#vendors/chat/webhooks.ts'

// Public reports on Slack (1) and Teams (2); test/reports.tsv has the essence of each.

const vendor = await startVendorServer()
afterAll(vendor.close)
const chat = chatWebhooks()
const plain = { title: 'Title', body: 'Body', url: null }
const secret = 'T0K3NsecretPart77'

/** What is said of a message after this answer. */
async function send(tool: 1 | 2, answer: VendorAnswer) {
  vendor.answer = () => answer
  return chat.send(tool, `${vendor.origin}/services/${secret}?sig=${secret}`, releaseParts(plain))
}
// biome-ignore lint/suspicious/noExplicitAny: each report knows the part of the body that it expects
const build = (tool: 1 | 2, message: Partial<ChatMessage>): any =>
  buildChatBody(tool, { ...plain, ...message })
const json = { 'content-type': 'application/json' }
const listTexts = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, each]) =>
        typeof each === 'string' && /^(text|value|title)$/.test(key) ? [each] : listTexts(each),
      )
const card = (message: Partial<ChatMessage>) => build(2, message).attachments[0].content

const slack: Record<string, () => unknown> = {
  'bugsink/bugsink#317': () =>
    expect(build(1, { title: 'a & b '.repeat(60) }).blocks[0].text.text.length).toBeLessThanOrEqual(150),
  'sourcegraph/sourcegraph-public-snapshot#49979': () => {
    for (const text of listTexts(build(1, { body: '<&> '.repeat(4000) })))
      expect(text.length).toBeLessThanOrEqual(3000)
  },
  'erikdarlingdata/PerformanceMonitor#3618': () => {
    const facts = Array.from({ length: 9 }, (_, n) => ({ label: `f${n}`, text: 'x' }))
    const sections = Array.from({ length: 40 }, (_, n) => ({ label: `s${n}`, text: 'x'.repeat(5000) }))
    const { blocks } = build(1, { facts, sections })
    expect(blocks.length).toBeLessThanOrEqual(50)
    // One fact and 32 sections have no room.
    expect(JSON.stringify(blocks)).toMatch(/33 more/)
  },
  '8398a7/action-slack#158': () => {
    const texts = listTexts(build(1, { facts: [{ label: 'a<!channel>', text: '<@U1> & co' }] })).join()
    expect(texts).not.toMatch(/<[!@]|& /)
  },
  'xcarpentier/react-native-slack-webhook#4': () => {
    const url = 'https://a.example/?id=1&other=2'
    const { blocks } = build(1, { url, button: { label: 'Open', isUrgent: false } })
    expect(blocks.find(({ type }: { type: string }) => type === 'actions').elements[0].url).toBe(url)
    expect(JSON.stringify(build(1, { url }).blocks)).toContain('<https://a.example/?id=1&amp;other=2|')
  },
  'firecrawl/firecrawl#3934': () =>
    expect(JSON.stringify(build(1, { url: 'https://a.example/?x=y|evil.example' }))).toContain(
      'x=y%7Cevil.example|',
    ),
  'getsentry/sentry#121520': () => {
    const facts = [{ label: 'Case', text: 'the app freezes\n\non checkout', url: 'https://a.example/' }]
    const link = listTexts(build(1, { facts })).find((text) => text.startsWith('<https'))
    expect(link).toBe('<https://a.example/|the app freezes on checkout>')
  },
  'vvanouytsel/jetspotter#26': () => {
    const message = {
      title: '',
      facts: [{ label: 'Client', text: '' }],
      sections: [{ label: 'Tried', text: ' ' }],
    }
    for (const text of listTexts(build(1, message))) expect(text.trim()).not.toBe('')
  },
  'SCPR/SCPRv4#239': async () =>
    expect(
      await send(1, { status: 429, headers: { 'retry-after': '30' }, body: 'rate_limited' }),
    ).toMatchObject({
      isPostponed: true,
      retryAfterSeconds: 30,
    }),
  'maknz/slack#36': async () =>
    expect(
      await send(1, {
        status: 429,
        headers: json,
        body: { ok: false, count_hour_ago: 400, count_second_ago: 5 },
      }),
    ).toMatchObject({ isPostponed: true, retryAfterSeconds: 60 }),
  'DependencyTrack/dependency-track#1159': async () => {
    const result = await send(1, { status: 500, body: `cannot POST /services/${secret}` })
    expect(JSON.stringify(result)).not.toContain(secret)
  },
  'metabase/metabase#49647': async () =>
    expect(await send(1, { status: 404, body: 'channel_not_found' })).toMatchObject({
      gone: true,
      isRemoved: true,
    }),
  'chatwoot/chatwoot#13520': async () =>
    expect(await send(1, { headers: json, body: { ok: false, error: 'is_archived' } })).toMatchObject({
      gone: true,
      isRemoved: true,
    }),
  'fivetran/great_expectations#5818': async () =>
    expect(
      await send(1, { headers: json, body: { ok: false, error: 'invalid_auth', warning: 'x' } }),
    ).toMatchObject({
      ok: false,
      error: expect.stringContaining('invalid_auth'),
      gone: true,
    }),
  'elastic/kibana#73061': async () => {
    const messages = ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/2/text/text]']
    const body = { ok: false, error: 'invalid_blocks', response_metadata: { messages } }
    expect(await send(1, { headers: json, body })).toMatchObject({
      error: expect.stringContaining('must be less than 3001 characters'),
    })
  },
  'gogs/gogs#3169': async () =>
    expect(await send(1, { headers: json, body: { success: true } })).toMatchObject({ ok: true }),
  'base/pessimism#173': async () =>
    expect(await send(1, { headers: json, body: { ok: true, ts: '1.2' } })).toMatchObject({ ok: true }),
  'ansible/ansible-modules-extras#2734': async () => {
    await send(1, { body: 'ok' })
    vendor.requests.length = 0
    await chat.send(1, vendor.origin, releaseParts({ ...plain, body: 'one & two + three' }))
    expect(JSON.parse(vendor.requests[0]?.body ?? '').blocks[1].text.text).toBe('one &amp; two + three')
  },
  'huggingface/peft#1251': () =>
    expect(build(1, { body: 'x'.repeat(9000) }).blocks[1].text.text).toMatch(/^x{2900,2999}…$/),
}

const limited =
  'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=0.'
const teams: Record<string, () => unknown> = {
  'danbyte-net/danbyte#157': () =>
    expect(build(2, {})).toMatchObject({
      attachments: [{ content: { type: 'AdaptiveCard', body: expect.any(Array) } }],
    }),
  'phenobarbital/async-notify#810': () =>
    expect(card({ url: 'https://a.example/' })).toMatchObject({ actions: [{ type: 'Action.OpenUrl' }] }),
  // A workflow puts the card into a text of JSON, in which each quote and backslash is escaped again.
  'MicrosoftDocs/msteams-docs#11274': () => {
    const sections = Array.from({ length: 8 }, () => ({ label: 'Log', text: 'C:\\a "b" '.repeat(500) }))
    const posted = JSON.stringify({ messageBody: JSON.stringify(card({ sections })) })
    expect(new TextEncoder().encode(posted).byteLength).toBeLessThan(28_672)
  },
  'grafana/alerting#527': () => {
    const texts = listTexts(card({ title: '\n\n     Title', body: '\n    indented\n\ttab' }))
    for (const text of texts) expect(text).not.toMatch(/(?<![\s\S])\n|^(?: {4}|\t)/m)
    expect(texts.join('\n')).toContain('indented')
  },
  'navicore/teams-notification-resource#42': () =>
    expect(listTexts(card({ body: 'a\nb' }))).toContain('a\n\nb'),
  'OfficeDev/outlook-dev-docs#864': () =>
    expect(listTexts(card({ body: 'BUILD_SOURCE_TASK *x*' }))).toContain('BUILD\\_SOURCE\\_TASK \\*x\\*'),
  'neonidian/teams-notify-build-status#94': () =>
    expect(listTexts(card({ body: '1. first\n- second' }))).toContain('1\\. first\n\n\\- second'),
  'getsentry/sentry#118692': () =>
    expect(listTexts(card({ body: '<at>Ada</at> &lt;b&gt; [x](https://evil.example)' })).join()).toMatch(
      /\\<at\\?>Ada.*\\&lt;b.*\\\[x\\\]/,
    ),
  'neonidian/teams-notify-build-status#84': async () =>
    expect(await send(2, { body: limited.replace('429', '400') })).toMatchObject({
      ok: false,
      error: expect.stringContaining('HTTP error 400'),
    }),
  'MicrosoftDocs/msteams-docs#7425': async () =>
    expect(await send(2, { body: limited })).toMatchObject({ isPostponed: true, retryAfterSeconds: 60 }),
  'rveachkc/pymsteams#146': async () =>
    expect(
      await send(2, {
        body: 'System.Net.Http.HttpRequestException: Error while copying content to a stream.',
      }),
    ).toMatchObject({ ok: false, error: expect.stringContaining('Error while copying content') }),
  'nttgin/BGPalerter#1410': () => expect(JSON.stringify(build(2, {}))).not.toContain('MessageCard'),
  'OfficeDev/outlook-dev-docs#420': async () =>
    expect(await send(2, { status: 400, body: 'Summary or Text is required.' })).toMatchObject({
      gone: false,
      error: expect.stringContaining('Summary or Text is required'),
    }),
  'microsoft/BotFramework-Services#228': async () =>
    expect(
      await send(2, {
        status: 413,
        headers: json,
        body: { error: { code: 'MessageSizeTooBig', message: 'Message size too large.' } },
      }),
    ).toMatchObject({ gone: false, error: expect.stringContaining('Message size too large') }),
  'jzsecops/wazuh-teams-workflows#4': async () =>
    expect(
      await send(2, {
        status: 401,
        headers: json,
        body: {
          error: {
            code: 'DirectApiAuthorizationRequired',
            message: 'The request must be authenticated only by Shared Access scheme.',
          },
        },
      }),
    ).toMatchObject({ gone: true, error: expect.stringContaining('Shared Access scheme') }),
  'caronc/apprise#1675': async () => {
    vendor.answer = () => ({ status: 202 })
    const path =
      '/powerautomate/automations/direct/cu/24/workflows/0e/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sig=x'
    expect(await chat.send(2, `${vendor.origin}${path}`, releaseParts(plain))).toMatchObject({ ok: true })
    expect(vendor.requests.at(-1)?.path).toBe(path)
  },
  'PostHog/posthog#103896': async () =>
    expect(
      await send(2, {
        status: 400,
        headers: json,
        body: {
          error: { code: 'WorkflowTriggerVersionNotFound', message: 'The trigger URL has ceased working.' },
        },
      }),
    ).toMatchObject({ error: expect.stringContaining('ceased working') }),
}

describe.each([
  ['Slack', slack],
  ['Teams', teams],
])('a report on %s', (_, reports) => {
  it.each(Object.entries(reports))('NOT-46 NOT-92 %s', async (_reference, check) => void (await check()))
})
