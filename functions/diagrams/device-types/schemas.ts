import * as z from 'zod'
import { Id, idParams, Name, Time } from '#http/fields.ts'
import { DeviceCategory } from '#rules/diagrams/schema.ts'

export const DeviceTypeId = idParams('device_type_id', 'device type')
const Icon = z
  .string()
  .trim()
  .max(100)
  .regex(/^[a-z0-9-]*$/, 'must contain only lower-case letters, digits and hyphens')
  .nullable()
  .describe('Name of an icon; null for the icon of the category.')

export const DeviceType = z
  .strictObject({
    id: Id,
    name: z.string().describe('Name of the device type.').meta({ example: 'Label printer' }),
    category: DeviceCategory,
    icon: z
      .string()
      .nullable()
      .describe('Name of an icon; null for the icon of the category.')
      .meta({ example: 'printer' }),
    is_system: z.boolean().describe('Whether the type ships with the service. Such types cannot be changed.'),
    team_id: Id.nullable().describe('The team it belongs to.'),
    created_at: Time,
  })
  .meta({ id: 'DeviceTypeResponse' })
export type DeviceType = z.infer<typeof DeviceType>

export const DeviceTypeQuery = z.strictObject({
  category: DeviceCategory.optional().describe('Only types of this category.'),
  search: z.string().trim().min(1).max(200).optional().describe('Part of the name.'),
})
export type DeviceTypeQuery = z.infer<typeof DeviceTypeQuery>

const inputFields = {
  name: Name.describe('Name of the device type; unique in a team, ignoring case.').meta({
    example: 'Label printer',
  }),
  category: DeviceCategory,
  icon: Icon,
}
export const DeviceTypeCreate = z
  .strictObject({ ...inputFields, icon: Icon.default(null).meta({ example: 'printer' }) })
  .meta({ id: 'DeviceTypeCreate' })
export type DeviceTypeCreate = z.infer<typeof DeviceTypeCreate>
export const DeviceTypeUpdate = z.strictObject(inputFields).partial().meta({ id: 'DeviceTypeUpdate' })
export type DeviceTypeUpdate = z.infer<typeof DeviceTypeUpdate>
