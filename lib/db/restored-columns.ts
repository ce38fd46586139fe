import { exportedColumns } from './exported-columns.ts'

// What an import of an account writes: every exported column of these kinds, unless it is left out here with
// its reason. A new column then needs a schema in import-records, or a reason here; otherwise the types do
// not fit.

type Table = keyof typeof exportedColumns
type ColumnOf<T extends Table> = (typeof exportedColumns)[T][number]

interface RestoredKind<T extends Table, Left extends ColumnOf<T>, Set extends ColumnOf<T>> {
  table: T
  /** Columns that are not written, with the reason. */
  leftOut: Readonly<Record<Left, string>>
  /** Columns that the import sets. It does not read them from the archive. */
  set: readonly Set[]
}

function restore<T extends Table, Left extends ColumnOf<T>, Set extends ColumnOf<T> = never>(
  table: T,
  leftOut: Readonly<Record<Left, string>>,
  set: readonly Set[] = [],
): RestoredKind<T, Left, Set> {
  return { table, leftOut, set }
}

const restarts = 'starts again'
const caller = 'is the caller'
const billing = 'a matter of billing'
const platform = 'the platform sets it'
const session = 'sessions are not restored'
const changes = { created_at: restarts, updated_at: restarts } as const
const switchedOff = 'an admin switches messages on'
const handover = {
  handover_time: switchedOff,
  handover_set_by: switchedOff,
  handover_at: switchedOff,
  handover_sent_at: switchedOff,
} as const
const history = { version: restarts, saved_by: caller, restored_from: restarts } as const

export const restoredKinds = {
  account: restore('accounts', {
    id: 'the account keeps it',
    name: 'the account keeps it',
    created_at: 'the account keeps it',
    plan: billing,
    subscription_status: billing,
    trial_ends_at: billing,
    require_mfa: 'members who have no second factor yet would be locked out',
  }),
  teams: restore('teams', {
    ...handover,
    created_at: restarts,
    branding_logo_upload_id: 'uploads are not restored',
  }),
  categories: restore('categories', { created_by: caller, created_at: restarts }, ['team_id']),
  script_categories: restore('script_categories', { created_by: caller, created_at: restarts }),
  scripts: restore(
    'script_templates',
    {
      created_by: caller,
      is_gallery_featured: platform,
      usage_count: restarts,
      ...changes,
      ...history,
      source_session_id: session,
      source_user_id: session,
      source_ticket_ref: session,
    },
    ['slug'],
  ),
  device_types: restore('device_types', { created_by: caller, created_at: restarts }),
  diagrams: restore('network_diagrams', { created_by: caller, ...changes, ...history }),
  target_lists: restore('target_lists', { created_by: caller, version: restarts, ...changes }),
  flows: restore(
    'trees',
    {
      author_id: caller,
      usage_count: restarts,
      ...changes,
      deleted_at: 'deleted flows are not restored',
      dismissed_findings: restarts,
      owner_id: caller,
      reviewed_at: restarts,
      reviewed_by: restarts,
      is_gallery_featured: platform,
      is_gallery_hidden: platform,
    },
    ['parent_account_id', 'root_account_id', 'root_tree_id', 'fork_depth', 'import_metadata', 'published_at'],
  ),
  flow_versions: restore('tree_versions', { saved_by: caller, created_at: restarts, replay: session }, [
    'id',
  ]),
  library_steps: restore('library_steps', { created_by: caller, ...changes }),
}

export type RestoredKindName = keyof typeof restoredKinds
type KindOf<K extends RestoredKindName> = (typeof restoredKinds)[K]
/** The columns that an import writes. */
export type RestoredColumn<K extends RestoredKindName> = Exclude<
  ColumnOf<KindOf<K>['table']>,
  keyof KindOf<K>['leftOut']
>
/** The columns that an import reads from the archive. */
export type ReadColumn<K extends RestoredKindName> = Exclude<RestoredColumn<K>, KindOf<K>['set'][number]>

/** List the columns that an import writes. */
export function listRestoredColumns(kind: RestoredKindName): string[] {
  const { table, leftOut } = restoredKinds[kind]
  return exportedColumns[table].filter((column) => !(column in leftOut))
}
