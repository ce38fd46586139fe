import type { Context } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import * as queries from './queries.ts'

type ReceiveContext = Pick<Context<'post', 'signed', string>, 'platform' | 'mail'>

/** Record what an event says of its address. Events may arrive twice and in any order. */
export async function receive(
  { platform, mail }: ReceiveContext,
  body: RawBody,
): Promise<{ recorded: number }> {
  const result = await mail.readEvent(body)
  if (!result.ok)
    throw new Problem(result.reason === 'unsigned' ? 'invalid_signature' : 'mail_events_not_configured')
  if (!result.event) return { recorded: 0 }
  const { problem, address, at } = result.event
  const { is_recorded } = await queries.recordProblem.one(platform, address, problem, at)
  return { recorded: is_recorded ? 1 : 0 }
}
