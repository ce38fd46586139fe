import { afterAll, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { expectNoGrowth, expectStreamsFit } from './node-memory.ts'

const service = await startOwnService()
afterAll(() => service.close())

const streams = Number(process.env.SOAK_STREAMS ?? 1000)
const requests = Number(process.env.SOAK_REQUESTS ?? 200_000)

it('holds 1,000 open streams in a Node process of at most 200 MB', () => expectStreamsFit(service, streams))
it('needs no more memory on Node after 200,000 requests', () => expectNoGrowth(service, requests))
