import { sql } from 'kysely'
import * as z from 'zod'
import { jsonb } from '#db/expressions.ts'
import type { Page } from '#db/page.ts'
import { countUse } from '#functions/scripts/scripts/queries.ts'
import { type Context, operation } from '#http/operation.ts'
import type { AccountText, ClientText } from '#rules/audience.ts'
import { type Prompt, type Question, toCompletion } from '#vendors/ai/ask.ts'
import type { Escaped } from '#vendors/chat/chat.ts'
import type { PsaPort } from '#vendors/psa/psa.ts'

// These lines must not compile. `npm run check` fails when one does, because its expected error is missing.

const Thing = z.strictObject({ id: z.string(), count: z.int() })
const shared = { route: 'POST /things', summary: 'A thing' } as const
const handle = async () => {}

operation({ ...shared, id: 'things.make', access: 'user', limit: 'write', handle })

// @ts-expect-error access is required
operation({ ...shared, id: 'things.make', limit: 'write', handle })
// @ts-expect-error limit is required
operation({ ...shared, id: 'things.make', access: 'user', handle })
// @ts-expect-error access must be a known value
operation({ ...shared, id: 'things.make', access: 'everybody', limit: 'write', handle })
// @ts-expect-error a limit must be a rate or a named rate limit
operation({ ...shared, id: 'things.make', access: 'user', limit: 'often', handle })
// @ts-expect-error an id must be group.verb
operation({ ...shared, id: 'make', access: 'user', limit: 'write', handle })
// @ts-expect-error a path must start with a slash
operation({ ...shared, route: 'POST things', id: 'things.make', access: 'user', limit: 'write', handle })
// @ts-expect-error a feature must be in the list
operation({ ...shared, id: 'things.make', access: 'user', limit: 'write', feature: 'time_travel', handle })
// @ts-expect-error a public operation has no account and so no feature
operation({ ...shared, id: 'things.make', access: 'public', limit: 'public', feature: 'kb_import', handle })
operation({ ...shared, id: 'things.make', access: 'user', limit: 'write', feature: 'kb_import', handle })
// @ts-expect-error a failure must be in the table
operation({ ...shared, id: 'things.make', access: 'user', limit: 'write', errors: ['exploded'], handle })

const make = { ...shared, id: 'things.make', access: 'user', limit: 'write' } as const
operation({ ...make, returns: Thing, handle: async () => ({ id: 'a', count: 1 }) })
// @ts-expect-error the result must match `returns`
operation({ ...make, returns: Thing, handle: async () => ({ id: 'a', count: '1' }) })
// @ts-expect-error every field is required
operation({ ...make, returns: Thing, handle: async () => ({ id: 'a' }) })
// @ts-expect-error without `returns` there is no result
operation({ ...make, handle: async () => ({ id: 'a' }) })
operation({
  ...make,
  route: 'GET /things',
  paged: true,
  returns: z.array(Thing),
  // @ts-expect-error a page has `more`
  handle: async () => [{ id: 'a', count: 1 }],
})
operation({
  ...make,
  route: 'GET /things',
  paged: true,
  returns: z.array(Thing),
  handle: async (): Promise<Page<z.infer<typeof Thing>>> => ({ items: [], next: null }),
})
operation({
  ...make,
  bodyFormat: 'file',
  body: Thing,
  handle: async ({ body }) => {
    // @ts-expect-error the body is a file or JSON, so it must be narrowed first
    body.count
    if ('bytes' in body) body.bytes satisfies Uint8Array
    else body.count satisfies number
  },
})
operation({
  ...make,
  access: 'signed',
  bodyFormat: 'raw',
  handle: async ({ body }) => void body.headers.get('stripe-signature'),
})
operation({
  ...make,
  body: Thing,
  handle: async ({ body, params }) => {
    body.count satisfies number
    // @ts-expect-error the body has only the fields of its schema
    body.color
    // @ts-expect-error the operation declares no parameters
    params.thing_id
  },
})

export async function checkContexts(
  sender: Context<'post', 'signed', 'why'>,
  reader: Context<'get', 'user', undefined>,
  writer: Context<'post', 'user', undefined>,
  visitor: Context<'post', 'public', undefined>,
  trusted: Context<'post', 'public', 'why'>,
) {
  const config = {
    channel: 'email',
    email_addresses: jsonb<string[]>([]),
    events_enabled: jsonb<string[]>([]),
  } as const
  reader.db.selectFrom('users').select('id')
  writer.db.insertInto('notification_configs').values(config)
  trusted.platform.insertInto('accounts')

  // @ts-expect-error a GET cannot insert
  reader.db.insertInto
  // @ts-expect-error a GET cannot update
  reader.db.updateTable
  // @ts-expect-error a GET cannot delete
  reader.db.deleteFrom
  // @ts-expect-error a GET has no transaction to write in
  reader.db.transaction
  // @ts-expect-error a GET cannot write in a common table expression
  reader.db.with
  // @ts-expect-error a GET cannot run a statement that writes
  countUse.run(reader.db, 'a')
  // @ts-expect-error a GET cannot run SQL text
  sql`delete from users`.execute(reader.db)
  // @ts-expect-error SQL text runs only as a statement whose row shape is declared
  sql`delete from users`.execute(writer.db)
  countUse.run(writer.db, 'a')
  sender.platform.insertInto('accounts')

  // @ts-expect-error a signed operation has no tenant database
  sender.db
  // @ts-expect-error a public operation has no tenant database
  visitor.db
  // @ts-expect-error a public operation has no caller
  visitor.caller
  // @ts-expect-error a public operation without a reason has no platform connection
  visitor.platform
  // @ts-expect-error a user's operation without a reason has no platform connection
  writer.platform
  // @ts-expect-error account_id of a new row comes from the scope
  writer.db.insertInto('notification_configs').values({ ...config, account_id: 'a' })
  // @ts-expect-error account_id cannot be updated
  writer.db.updateTable('notification_configs').set({ account_id: 'a' })
}

declare const psa: PsaPort
declare const accountText: AccountText
declare const clientText: ClientText
psa.addNote('1', { visibility: 'internal', text: clientText })
psa.addNote('1', { visibility: 'client', text: clientText })
// @ts-expect-error a text for colleagues is no text for the client
psa.addNote('1', { visibility: 'client', text: accountText })
// @ts-expect-error a text without readers cannot be sent
psa.addNote('1', { visibility: 'internal', text: 'note' })
psa.createTicket({
  summary: clientText,
  // @ts-expect-error the client reads the description of a ticket
  description: accountText,
  companyId: '1',
  contactId: null,
  boardId: null,
  reference: 'r',
})

declare const prompt: Prompt
declare const question: Question
// @ts-expect-error a model reads a question only after redaction
toCompletion(prompt, question, 1000)

declare const plainText: string
// @ts-expect-error a text in a message of a chat tool must be escaped for it
const escapedForBlocks: Escaped<1> = plainText
// @ts-expect-error the markup of one tool is not that of the other
const escapedForCards: Escaped<2> = escapedForBlocks

export { escapedForCards }
