/** A time of day without seconds, such as `09:00`. */
export const timeOfDayPattern = /^([01]\d|2[0-3]):[0-5]\d$/
