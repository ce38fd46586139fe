import { sql } from 'kysely'

/**
 * Delete an identity of a deactivated user, who may sign in with it to another account. The statement that
 * inserts it again reads the rows of this, so that the deletion comes first.
 */
export const releaseIdentity = (provider: string | null, subject: string | null) => sql`
  delete from identities o using users former
   where o.provider = ${provider} and o.subject = ${subject} and former.id = o.user_id and not former.is_active returning o.user_id`
