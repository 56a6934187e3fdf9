export const loadRooms = () => import("./rooms.tsx");

export type Rooms = Awaited<ReturnType<typeof loadRooms>>;
