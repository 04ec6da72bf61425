/** Id of the offline responder's only listed model: a router that lists it answers for every other id too. */
export const offlineModelId = "svc/offline-responder";
