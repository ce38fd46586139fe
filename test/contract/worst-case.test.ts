import { afterAll, describe, expect, it } from 'vitest'
import { type AnyOperation, getMaxBody, requiresToken } from '#http/operation.ts'
import { jobSteps, requestSteps } from '#rules/budget.ts'
import { startOwnService } from '#test/support/app.ts'
import { isNight, someByDay } from '#test/support/night.ts'
import { listCases } from './cases.ts'
import { createRequestSetup } from './request-setup.ts'
import { send } from './requests.ts'
import { inflateRows, inflateSample, texts } from './worst-values.ts'

// Every operation, with its rows and its request as large as the API lets them become. New operations are
// included by themselves.

// Some of these rows no request could have written, so they may break a declared shape. They still must not
// fail.
const service = await startOwnService({ CHECK_RESPONSES: 'false' })
const holds: [cpuMs: number, steps: number, id: string][] = []
afterAll(async () => {
  if (isNight) console.table(holds.toSorted(([a], [b]) => b - a).slice(0, 15))
  await service.close()
})

// Steps grow with the size, so smaller rows prove the same. The nightly run has larger ones, and all shapes.
const maxBytes = (isNight ? 4096 : 128) * 1024
const shapes = Object.entries(texts).slice(0, isNight ? undefined : 1)
const maxAnswerBytes = 8 * 1024 * 1024
/**
 * Processor time of this process, which also runs the emulators and the client: twice the goal, for a busy
 * machine.
 */
const maxHoldMs = { request: 500, longer: 2000 }

function readLogLine(requestId: string | null) {
  return service.log
    .map((text) => JSON.parse(text))
    .findLast(({ request_id, operation }) => request_id === requestId && operation)
}

describe.each(shapes)('with %s', (_, createText) => {
  it.each(someByDay(listCases(), 60))(
    'WIR-52 %s answers below 500, with at most 8 MiB and within its budget',
    { retry: 2 },
    async (_, op: AnyOperation) => {
      const { account, person, sample } = await createRequestSetup(service, op)
      await inflateRows(service, account.id, createText, maxBytes)
      const largest = inflateSample(op, sample, createText, Math.min(getMaxBody(op), maxBytes) * 0.9)
      const start = process.cpuUsage()
      const { status, text, headers } = await send(service, op, largest, {
        token: requiresToken(op) ? person.token : null,
      })
      const { user } = process.cpuUsage(start)
      const { work_steps: steps, error } = readLogLine(headers.get('x-request-id'))
      const maxSteps = op.maxSteps ?? (op.background ? jobSteps : requestSteps)
      holds.push([user / 1000, steps, op.id])
      // The emulated model refuses some of these questions.
      const isFailure = status >= 500 && status !== 502
      const isHold = user / 1000 > (maxSteps > requestSteps ? maxHoldMs.longer : maxHoldMs.request)
      expect({
        ...(isFailure && { status, text, error }),
        ...(text.length > maxAnswerBytes && { answerBytes: text.length }),
        ...(steps > maxSteps && { steps }),
        ...(isNight && isHold && { cpuMs: user / 1000 }),
      }).toEqual({})
    },
  )
})
