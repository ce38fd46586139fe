import type { Pool } from 'pg'
import { createTraceparent } from '#trace.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import type { Message, QueuePort } from '#vendors/queue/queue.ts'

/** The schema of graphile-worker's tables, which `0035_queue.sql` creates. */
export const jobsSchema = 'graphile_worker'
/** The task of graphile-worker that runs a message. Its payload is `{path, body, traceparent}`. */
export const messageTask = 'message'

const publishTimeoutMs = 3000
// As long as the lease of an attempt: a later copy may be needed, because the process that ran the first one
// was killed.
const deduplicationSeconds = 60

/**
 * Stores jobs in one statement. A message whose id was accepted before is dropped. The library's own
 * deduplication, `job_key`, would not do: it forgets a job when it ends, and may drop both the old and the
 * new one under load. https://github.com/graphile/worker/issues/580 The ids are inserted in their order, so
 * that two publishers that wait for each other cannot deadlock. A job has one attempt, because the row
 * decides about the next one.
 */
const publishSql = `
  with messages as (
    select * from json_to_recordset($1) as message (path text, body json, traceparent text, delay_seconds double precision, id text)
  ), accepted as (
    insert into queue_message_ids as earlier (id, expires_at)
    select id, app.now() + make_interval(secs => delay_seconds + ${deduplicationSeconds}) from messages where id is not null order by id
    on conflict (id) do update set expires_at = excluded.expires_at where earlier.expires_at <= app.now()
    returning id
  )
  select from ${jobsSchema}.add_jobs(array(
    select json_populate_record(null::${jobsSchema}.job_spec, json_build_object(
             'identifier', '${messageTask}', 'payload', json_build_object('path', path, 'body', body, 'traceparent', traceparent), 'max_attempts', 1,
             'run_at', now() + make_interval(secs => delay_seconds)))
      from messages where id is null or id in (select id from accepted)))`

/** Create a queue that stores its messages in PostgreSQL. */
export function postgresQueue(pool: Pool): QueuePort {
  return {
    async publish(messages) {
      if (messages.length === 0) return
      const values = [JSON.stringify(dropRepeatedIds(messages).map(toRow))]
      await withTimeout(publishTimeoutMs, pool.query({ name: 'publish_jobs', text: publishSql, values }))
    },
    async ping() {
      await withTimeout(publishTimeoutMs, pool.query(`select from ${jobsSchema}.jobs limit 1`))
      return { isLimited: false }
    },
  }
}

function toRow({ path, body, delaySeconds = 0, deduplicationId }: Message) {
  return { path, body, delay_seconds: delaySeconds, id: deduplicationId, traceparent: createTraceparent() }
}

/** Keep the first message of each deduplication id. */
function dropRepeatedIds(messages: readonly Message[]): Message[] {
  const ids = new Set<string>()
  return messages.filter(({ deduplicationId }) => {
    if (deduplicationId === undefined) return true
    const isFirst = !ids.has(deduplicationId)
    ids.add(deduplicationId)
    return isFirst
  })
}

/** Delete the ids that no longer drop a message, at most 50,000 of them. */
export async function deleteExpiredIds(pool: Pool): Promise<void> {
  await pool.query(`
    delete from queue_message_ids where ctid = any (array(
      select ctid from queue_message_ids where expires_at <= app.now() limit 50000 for update skip locked))`)
}
