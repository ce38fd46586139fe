/** An entry of the audit log, as the API returns it. */
export interface AuditRow {
  id: string
  account_id: string
  actor_id: string | null
  actor_name: string | null
  action: string
  resource_type: string
  resource_id: string | null
  changes: Record<string, never>
  ip: string | null
  created_at: string
}
