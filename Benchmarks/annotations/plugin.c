/// Ten annotations, which tell where they are.

#include "RebindAnnotations.h"

REBIND_ANNOTATE(modules, "Mail")
REBIND_ANNOTATE_VALUE(modules, "Calendar", "2", 20)
REBIND_ANNOTATE_VALUE(modules, "Contacts", "3", 30)
REBIND_ANNOTATE_VALUE(services, "mail", "MailService", 1)
REBIND_ANNOTATE_VALUE(services, "calendar", "CalendarService", 2)
REBIND_ANNOTATE_VALUE(services, "contacts", "ContactsService", 3)
REBIND_ANNOTATE_VALUE(services, "search", "SearchService", 4)
REBIND_ANNOTATE_VALUE(routes, "app://mail", "show", 5)
REBIND_ANNOTATE_VALUE(routes, "app://calendar", "show", 6)
REBIND_ANNOTATE_VALUE(routes, "app://contacts", "show", 7)
