import { afterAll, expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import type { AnyOperation } from '#http/operation.ts'
import { secrets } from '#local/settings.ts'
import { createRequestSetup } from '#test/contract/request-setup.ts'
import { send } from '#test/contract/requests.ts'
import { startOwnService } from '#test/support/app.ts'
import { createEscalation } from '#test/support/escalations.ts'
import { createAccount } from '#test/support/people.ts'
import { startVendorServer, type VendorAnswer, type VendorRequest } from '#test/support/vendor-server.ts'

// What the model or its provider says when it refuses arrives at whoever asked, whatever was asked.

const vendor = await startVendorServer()
const service = await startOwnService({ OPENAI_BASE_URL: vendor.origin })
afterAll(async () => {
  await service.close()
  vendor.close()
})

const sentence = 'this text is about something that we do not discuss'
/** What nobody may see: the key of the call, a password, a line break and a character that hides text. */
const said = `${sentence} (${secrets.openaiKey})\r\n\u202e password: Hunter2secret!`
const json = { 'content-type': 'application/json' }
const filter = {
  hate: { filtered: false, severity: 'safe' },
  jailbreak: { detected: true, filtered: true },
  violence: { filtered: true, severity: 'medium' },
}
const choose = (choice: object, more: object = {}): VendorAnswer => ({
  headers: json,
  body: { choices: [{ index: 0, ...choice }], ...more },
})
const fail = (status: number, error: object): VendorAnswer => ({ status, headers: json, body: { error } })

/** The refusals, and what each of them says. */
const refusals: Record<string, [VendorAnswer, string[]]> = {
  'a refusal': [choose({ message: { refusal: said }, finish_reason: 'stop' }), [sentence]],
  // https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
  'a filter of the answer': [
    choose({ message: { content: '' }, finish_reason: 'content_filter', content_filter_results: filter }),
    ['jailbreak', 'violence'],
  ],
  'a filter of the prompt': [
    fail(400, {
      code: 'content_filter',
      message: said,
      innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: filter },
    }),
    [sentence, 'jailbreak', 'violence'],
  ],
  'an error of the request': [fail(400, { message: said, code: 'invalid_value' }), [sentence]],
  'an error of the account': [fail(402, { message: said }), [sentence]],
  'an error in an answer': [{ headers: json, body: { error: { code: 502, message: said } } }, [sentence]],
}
let refusal: VendorAnswer | undefined

vendor.answer = (request) => refusal ?? forward(request)
async function forward({ method, path, headers, body }: VendorRequest): Promise<VendorAnswer> {
  const response = await fetch(`${service.localOrigin}/openai${path}`, {
    method,
    headers: { ...json, authorization: String(headers.authorization) },
    body,
  })
  return {
    status: response.status,
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
    body: await response.text(),
  }
}

const askingOperations = operations.filter(({ errors }: AnyOperation) =>
  errors?.includes('ai_provider_error'),
) as AnyOperation[]

const cases = askingOperations.flatMap((op) =>
  Object.entries(refusals)
    .filter(
      ([name], place) => place < 2 || name === 'an error of the request' || op.id === 'ai.turns.sendMessage',
    )
    .map(([name, [answer, parts]]) => ({ id: op.id, op, name, answer, parts })),
)

it.each(cases)('AIM-02 $id says what the model says in $name', async ({ op, answer, parts }) => {
  refusal = undefined
  const { person, sample } = await createRequestSetup(service, op)
  // A chat is created without asking the model.
  const guided = { session_type: 'guided', problem_summary: 'No mail.' }
  const body = op.id === 'ai.turns.createSession' ? guided : sample.body
  refusal = answer
  const response = await send(service, op, { ...sample, body } as typeof sample, { token: person.token })
  const text = JSON.stringify(response.body)
  for (const part of parts) expect(text).toContain(part)
  expect(text).not.toMatch(/Hunter2|\u202e|\\n/)
  expect(text).not.toContain(secrets.openaiKey)
})

it('AIM-02 a failed assessment says what the model says', async () => {
  const { admin } = await createAccount(service)
  refusal = refusals['a refusal']?.[0]
  const { id } = await createEscalation(admin)
  await service.stack.localServer.qstash.waitUntilSettled()
  const { handoffs } = (await admin.call('GET', `/ai-sessions/${id}`)).body
  expect(handoffs[0]).toMatchObject({
    assessment_status: 'failed',
    ai_assessment: expect.stringContaining(sentence),
  })
})
