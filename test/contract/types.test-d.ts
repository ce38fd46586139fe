import { z } from 'zod'
import type { Page } from '../../lib/db/page.ts'
import { type Context, operation } from '../../lib/http/operation.ts'

// What must not compile; `npm run check` fails when one of these does, because the expected error is then missing.

const Thing = z.strictObject({ id: z.string(), count: z.int() })
const shared = { method: 'post', path: '/things', summary: 'A thing', success: 200 } as const
const handle = async () => {}

operation({ ...shared, id: 'things.make', access: 'user', limit: 'write', handle })

// @ts-expect-error an operation says who may call it
operation({ ...shared, id: 'things.make', limit: 'write', handle })
// @ts-expect-error an operation says how often
operation({ ...shared, id: 'things.make', access: 'user', handle })
// @ts-expect-error access is one of the house's words
operation({ ...shared, id: 'things.make', access: 'everybody', limit: 'write', handle })
// @ts-expect-error a limit is a number per minute or hour, or one of the house's words
operation({ ...shared, id: 'things.make', access: 'user', limit: 'often', handle })
// @ts-expect-error an id is group.verb
operation({ ...shared, id: 'make', access: 'user', limit: 'write', handle })
// @ts-expect-error a path begins with a slash
operation({ ...shared, path: 'things', id: 'things.make', access: 'user', limit: 'write', handle })
// @ts-expect-error a feature is one of the list
operation({ ...shared, id: 'things.make', access: 'user', limit: 'write', feature: 'time_travel', handle })
// @ts-expect-error nobody has features who has no account
operation({ ...shared, id: 'things.make', access: 'public', limit: 'public', feature: 'kb_import', handle })
operation({ ...shared, id: 'things.make', access: 'user', limit: 'write', feature: 'kb_import', handle })
// @ts-expect-error a failure is one of the list
operation({ ...shared, id: 'things.make', access: 'user', limit: 'write', errors: ['exploded'], handle })

const make = { ...shared, id: 'things.make', access: 'user', limit: 'write' } as const
operation({ ...make, returns: Thing, handle: async () => ({ id: 'a', count: 1 }) })
// @ts-expect-error the answer is what the operation declares
operation({ ...make, returns: Thing, handle: async () => ({ id: 'a', count: '1' }) })
// @ts-expect-error none of its fields may be missing
operation({ ...make, returns: Thing, handle: async () => ({ id: 'a' }) })
// @ts-expect-error nothing is answered where nothing is declared
operation({ ...make, handle: async () => ({ id: 'a' }) })
// @ts-expect-error a page says whether more follow
operation({ ...make, method: 'get', paged: true, returns: z.array(Thing), handle: async () => [{ id: 'a', count: 1 }] })
operation({
  ...make,
  method: 'get',
  paged: true,
  returns: z.array(Thing),
  handle: async (): Promise<Page<z.infer<typeof Thing>>> => ({ items: [], more: false }),
})
operation({
  ...make,
  bodyFormat: 'file',
  body: Thing,
  handle: async ({ body }) => {
    // @ts-expect-error it may be either, and says which
    body.count
    if ('bytes' in body) body.bytes satisfies Uint8Array
    else body.count satisfies number
  },
})
operation({ ...make, access: 'signed', bodyFormat: 'raw', handle: async ({ body }) => void body.headers.get('stripe-signature') })
operation({
  ...make,
  body: Thing,
  handle: async ({ body, params }) => {
    body.count satisfies number
    // @ts-expect-error a body has what its schema has
    body.color
    // @ts-expect-error no parameters are declared
    params.thing_id
  },
})

export async function doors(
  sender: Context<'post', 'signed', 'why'>,
  reader: Context<'get', 'user', undefined>,
  writer: Context<'post', 'user', undefined>,
  visitor: Context<'post', 'public', undefined>,
  trusted: Context<'post', 'public', 'why'>,
) {
  const config = { channel: 'email', email_addresses: '[]', events_enabled: '[]' }
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
  sender.platform.insertInto('accounts')

  // @ts-expect-error who is known by a signature has no tenant's database
  sender.db
  // @ts-expect-error a public operation has no tenant's database
  visitor.db
  // @ts-expect-error nor a caller
  visitor.caller
  // @ts-expect-error nor the platform's door, unless it gives a reason
  visitor.platform
  // @ts-expect-error and so it is for a signed-in user's operation
  writer.platform
  // @ts-expect-error the account of a new row is the scope's
  writer.db.insertInto('notification_configs').values({ ...config, account_id: 'a' })
  // @ts-expect-error and stays so
  writer.db.updateTable('notification_configs').set({ account_id: 'a' })
}
