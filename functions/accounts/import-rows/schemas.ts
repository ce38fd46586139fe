import type { OwnId } from '#functions/accounts/import-records/schemas.ts'

/** What rows refer to. */
export interface Scope {
  account_id: OwnId
  team_id: OwnId | null
  now: string
}

/** The new ids of the records that a slice refers to, by kind and old id. */
export type NewIds = Record<
  'teams' | 'categories' | 'script_categories' | 'scripts' | 'flows',
  ReadonlyMap<string, OwnId>
>
