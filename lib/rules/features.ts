/** What a plan or an account can switch on or off. A test compares this list with the table `features`. */
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
