import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../lib/db/scope.ts'

export async function selectDevices(db: ReadDb, userId: string, current: string) {
  const { rows } = await sql<DeviceRow>`
    select id, user_agent, ip, created_at, last_used_at, id = ${current} as current from sign_ins
     where user_id = ${userId} and ended_at is null and expires_at > app.now() order by last_used_at desc, id desc limit 100`.execute(
    db as WriteDb,
  )
  return rows
}

interface DeviceRow {
  id: string
  user_agent: string
  ip: string
  created_at: string
  last_used_at: string
  current: boolean
}

export async function endDevice(db: WriteDb, userId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    update sign_ins set ended_at = app.now() where id = ${id} and user_id = ${userId} and ended_at is null returning id`.execute(db)
  return rows.length > 0
}
