import { readdir, readFile } from 'node:fs/promises'
import { expect, it, vi } from 'vitest'
import * as z from 'zod'
import { operations } from '#functions/operations.ts'
import { readBody } from '#http/body.ts'
import { type AnyOperation, getMaxBody, getMaxSteps } from '#http/operation.ts'
import { createJsonValidator, InvalidInput } from '#http/validators.ts'
import { type FieldError, invalidRequest, Problem } from '#problem.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { isNight } from '#test/support/night.ts'

// Bodies as large as an operation takes them, in shapes that cost more than their size. New operations are
// included by themselves.

/** Steps grow with the size, so smaller bodies prove the same; the nightly run sends larger ones. */
const maxBytes = (isNight ? 256 : 16) * 1024
const maxAnswerBytes = 64 * 1024

/** A text here, and a number in the body. */
const longNumber = '1.0000000000000000000'

/** A value of about `size` bytes. */
const shapes: Record<string, (size: number) => unknown> = {
  'a long text': (size) => 'x'.repeat(size),
  'many small items': (size) => Array(Math.floor(size / 3)).fill({}),
  'deep nesting': (size) =>
    Array(Math.floor(size / 60)).fill(JSON.parse(`${'['.repeat(28)}${']'.repeat(28)}`)),
  'many unknown fields': (size) =>
    Object.fromEntries(Array.from({ length: Math.floor(size / 12) }, (_, index) => [`k${index}`, 0])),
  'many small numbers and one with many digits': (size) => [
    ...Array(Math.floor(size / 2)).fill(1),
    longNumber,
  ],
  'quadratic bait': (size) => '<<<<{{{{(((([[[[    \n'.repeat(Math.floor(size / 21)),
}

const bodyOperations = operations.filter(({ body, bodyFormat }: AnyOperation) => body && bodyFormat !== 'raw')

function listFields(op: AnyOperation): string[] {
  const schema = z.toJSONSchema(op.body as z.ZodType, { io: 'input', unrepresentable: 'any' }) as {
    properties?: object
  }
  return Object.keys(schema.properties ?? {})
}

/** Read a body like the pipeline, within the current budget. Return what is wrong with it. */
async function read(op: AnyOperation, body: string): Promise<Problem | null> {
  const errors: FieldError[] = []
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost', { method: 'POST', headers, body })
  try {
    const { json } = await readBody(op, request, errors)
    if (json) await createJsonValidator(op.body as z.ZodType)(json.value)
  } catch (error) {
    if (error instanceof Problem) return error
    if (!(error instanceof InvalidInput)) throw error
    errors.push(...error.errors.slice(0, 1000))
  }
  return errors.length > 0 ? invalidRequest(errors) : null
}

it.each(Object.keys(shapes))(
  'WIR-48 WIR-88 every operation parses a body of %s once, and answers with a short 4xx, or accepts it',
  async (name) => {
    const wrong: string[] = []
    const parse = vi.spyOn(JSON, 'parse')
    for (const op of bodyOperations) {
      const fields = listFields(op)
      const size = Math.min(maxBytes, getMaxBody(op)) * 0.9
      const value = shapes[name]?.(Math.floor(size / Math.max(1, fields.length)))
      const body = fields.length > 0 ? Object.fromEntries(fields.map((field) => [field, value])) : value
      const budget = createBudget({ steps: getMaxSteps(op) })
      const text = JSON.stringify(body).replaceAll(`"${longNumber}"`, longNumber)
      parse.mockClear()
      const problem = await runWithin(budget, () => read(op, text))
      const { steps } = budget.getSpent()
      // Parsing with a function for each value takes fifty times as long.
      if (parse.mock.calls.filter(([parsed]) => parsed === text).length > 1)
        wrong.push(`${op.id} parses it twice`)
      const isShort = JSON.stringify(problem?.body ?? {}).length < maxAnswerBytes
      if ((problem && problem.status >= 500) || !isShort || (steps === 0 && problem?.status !== 413))
        wrong.push(op.id)
    }
    expect([bodyOperations.length > 100, wrong]).toEqual([true, []])
    parse.mockRestore()
  },
)

it('WIR-48 only the pipeline, slices of jobs and answers of vendors have a budget of their own', async () => {
  const creators: string[] = []
  const users: string[] = []
  for (const folder of ['functions', 'lib'])
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts')) continue
      const source = await readFile(`${folder}/${file}`, 'utf8')
      if (source.includes('createBudget(')) creators.push(`${folder}/${file}`)
      if (/\bBudget\b[^']*from '#rules\/budget\.ts'/.test(source)) users.push(`${folder}/${file}`)
    }
  // The log says what the request has spent. Nothing else gets a budget as a parameter.
  expect(users).toEqual(['lib/http/app.ts'])
  expect(creators.sort()).toEqual([
    'functions/accounts/import-records/service.ts',
    'functions/ai/embeddings/service.ts',
    // Each team's message of the sweep has one.
    // Each article of a batch has one.
    'functions/authoring/kb-batch-sources/service.ts',
    'functions/maintenance/runs/service.ts',
    // Requests of providers that provision members.
    'functions/scim/scim-server.ts',
    'functions/sessions/timers/service.ts',
    // The starter flows of the repository.
    'lib/db/content-files.ts',
    'lib/http/job.ts',
    'lib/http/request.ts',
    'lib/rules/budget.ts',
    'lib/rules/files/read-file.ts',
    // The notes of one answer of a vendor.
    'lib/vendors/psa/halopsa-wire.ts',
  ])
})
