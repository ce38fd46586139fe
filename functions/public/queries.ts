import { sql } from 'kysely'
import * as z from 'zod'
import type { PlatformDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { PublicPlan, SalesLeadCreate } from './schemas.ts'

export function selectPublicPlans(db: PlatformDb): Promise<PublicPlan[]> {
  return db
    .selectFrom('plan_billing as b')
    .innerJoin('plan_limits as l', 'l.plan', 'b.plan')
    .select([
      'b.plan',
      'b.display_name',
      'b.description',
      'b.monthly_price_cents',
      'b.annual_price_cents',
      'b.currency',
    ])
    .select(['b.sort_order', 'b.features', 'l.max_users as max_seats'])
    .where('b.is_public', '=', true)
    .where('b.is_archived', '=', false)
    .orderBy('b.sort_order')
    .orderBy(sql`b.plan collate "C"`)
    .execute()
}

/**
 * Insert a lead and, if there is a recipient, the delivery of an e-mail about it. The delivery belongs to the
 * platform's account.
 */
export const insertLead = writeStatement(
  z.object({ id: z.string(), received_at: z.string(), delivery_id: z.string().nullable() }),
  (lead: SalesLeadCreate, recipient: string | null) => sql`
    with inserted_lead as (
      insert into sales_leads (email, name, company, source, message, phone, seats)
      values (${lead.email}, ${lead.name}, ${lead.company}, ${lead.source}, ${lead.message ?? null}, ${lead.phone ?? null}, ${lead.seats ?? null})
      returning id, received_at
    ), inserted_delivery as (
      insert into deliveries (account_id, channel, recipient, purpose, sales_lead_id)
      select app.platform_account(), 'email', ${recipient}, 'sales_lead', id from inserted_lead where ${recipient}::text is not null returning id
    )
    select l.id, l.received_at, d.id as delivery_id from inserted_lead l left join inserted_delivery d on true`,
)

export async function selectLead(db: PlatformDb, id: string) {
  return db.selectFrom('sales_leads').selectAll().where('id', '=', id).executeTakeFirst()
}
