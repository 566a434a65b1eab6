#include "CModuleKit.h"
