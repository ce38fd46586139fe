/** The migrated database of which every process of a test run makes copies. */
export const templateDatabase = 'flow_template'
