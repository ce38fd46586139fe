/** What a plan or an account switches on or off; the table `features` holds the same keys, and a test compares them. */
export const features = [
  'public_gallery',
  'ai_sessions',
  'ai_authoring',
  'script_builder',
  'network_diagrams',
  'kb_import',
  'maintenance_schedules',
] as const

export type Feature = (typeof features)[number]
