import { type RawBuilder, sql } from 'kysely'

/** Select what the groups of a member count by, which the provider provisions: their names and their ids there. */
export const selectGroupNames = (
  accountId: RawBuilder<unknown> | string,
  userId: RawBuilder<unknown> | string,
) => sql<string>`
  select unnest(array_remove(array[g.display_name, g.external_id], null)) as name
    from scim_group_members m join scim_groups g on g.account_id = m.account_id and g.id = m.group_id
   where m.account_id = ${accountId} and m.user_id = ${userId}`
