import { sql } from 'kysely'
import type { PlatformDb } from '../../lib/db/scope.ts'
import type { PublicPlan, SalesLeadCreate } from './schemas.ts'

export async function selectPublicPlans(db: PlatformDb): Promise<PublicPlan[]> {
  const { rows } = await sql<PublicPlan>`
    select b.plan, b.display_name, b.description, b.monthly_price_cents, b.annual_price_cents, b.currency, b.sort_order, b.features,
           l.max_users as max_seats
      from plan_billing b join plan_limits l on l.plan = b.plan
     where b.is_public and not b.is_archived order by b.sort_order, b.plan collate "C"`.execute(db)
  return rows
}

/** Insert a lead and, if there is a recipient, the delivery of an e-mail about it. The delivery belongs to the platform's account. */
export async function insertLead(db: PlatformDb, lead: SalesLeadCreate, recipient: string | null) {
  const { rows } = await sql<{ id: string; received_at: string; delivery_id: string | null }>`
    with inserted_lead as (
      insert into sales_leads (email, name, company, source, message, phone, seats)
      values (${lead.email}, ${lead.name}, ${lead.company}, ${lead.source}, ${lead.message ?? null}, ${lead.phone ?? null}, ${lead.seats ?? null})
      returning id, received_at
    ), inserted_delivery as (
      insert into deliveries (account_id, channel, recipient, purpose, sales_lead_id)
      select app.platform_account(), 'email', ${recipient}, 'sales_lead', id from inserted_lead where ${recipient}::text is not null returning id
    )
    select l.id, l.received_at, d.id as delivery_id from inserted_lead l left join inserted_delivery d on true`.execute(db)
  return rows[0] as { id: string; received_at: string; delivery_id: string | null }
}

export async function selectLead(db: PlatformDb, id: string) {
  return db.selectFrom('sales_leads').selectAll().where('id', '=', id).executeTakeFirst()
}
