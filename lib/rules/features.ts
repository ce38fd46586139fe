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

/** Those that are off in a service without an AI provider. The others have parts without AI. */
export const aiFeatures: ReadonlySet<string> = new Set<Feature>([
  'ai_sessions',
  'ai_authoring',
  'script_builder',
])
