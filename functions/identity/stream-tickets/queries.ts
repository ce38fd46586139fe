import { sql } from 'kysely'
import { writeStatement } from '#db/statement.ts'

export const insertTicket = writeStatement(
  null,
  (hash: string, signInId: string, seconds: number) => sql`
    insert into stream_tickets (hash, sign_in_id, expires_at)
    values (${hash}::bytea, ${signInId}, app.now() + ${seconds}::integer * interval '1 second')`,
)
