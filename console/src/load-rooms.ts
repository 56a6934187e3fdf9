/** Loads the script of an agent's rooms. */
export const loadRooms = () => import("./rooms.tsx");

export type Rooms = Awaited<ReturnType<typeof loadRooms>>;
